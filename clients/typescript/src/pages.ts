// Reads the pages of a list one after the other, no sooner than they are wanted.

/** A page of a list: its records, alone or in edges, and where it ends. */
export interface Connection<Node> {
  nodes?: readonly Node[];
  edges?: readonly { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}

export interface PageOptions {
  /** Records of a page, 1 to 1000; 200. */
  pageSize?: number;
}

const defaultPageSize = 200;

/** Yields the records of all pages. Without a list in the data there is nothing to yield. Throws a TypeError when a page has no cursor to go on from. */
export async function* iteratePages<Data, Node>(
  read: (page: { first: number; after: string | null }) => Promise<Data>,
  pick: (data: Data) => Connection<Node> | null | undefined,
  { pageSize, first, after }: PageOptions & { first: number | null; after: string | null },
): AsyncGenerator<Node, void, undefined> {
  const size = pageSize ?? first ?? defaultPageSize;
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`The size of a page must be 1 or more, not ${size}`);
  for (let cursor = after; ; ) {
    const page = pick(await read({ first: size, after: cursor }));
    if (!page) return;
    yield* page.nodes ?? (page.edges ?? []).map(({ node }) => node);
    if (!page.pageInfo.hasNextPage) return;
    const { endCursor } = page.pageInfo;
    if (!endCursor || endCursor === cursor)
      throw new TypeError(
        'The list has a next page, but no cursor: select pageInfo { hasNextPage endCursor }, and pass $after',
      );
    cursor = endCursor;
  }
}
