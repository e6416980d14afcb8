// The links of the tour: those on visited pages, and those on all pages that they lead to, without a browser. Other servers are not asked.
const noted = new Map<string, string>();

/** Remembers links, each with the page that has it. */
export const noteLinks = (page: string, links: readonly string[]): void => {
  for (const link of links) if (!noted.has(link)) noted.set(link, page);
};

const isMarkup = (response: Response): boolean => response.headers.get('content-type')?.includes('text/html') ?? false;

/** Follows all links between the servers of visited pages to their end, and fails with those that lead nowhere. */
export const checkLinks = async (): Promise<string> => {
  const origins = new Set([...noted.values()].map((page) => new URL(page).origin));
  const [broken, outside]: [string[], Set<string>] = [[], new Set()];
  /** The pages that were read, each as its markup; undefined for what is none. */
  const read = new Map<string, string | undefined>();
  const readPage = async (address: string, from: string): Promise<string | undefined> => {
    if (read.has(address)) return read.get(address);
    const response = await fetch(address, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    if (response.status !== 200) broken.push(`${from} → ${address}: ${response.status}`);
    const text = await response.text();
    const markup = isMarkup(response) ? text : undefined;
    read.set(address, markup);
    for (const [, target] of markup?.matchAll(/ (?:href|src)="([^"]+)"/g) ?? [])
      noteLinks(address, [new URL(target!.replaceAll('&amp;', '&'), address).href]);
    return markup;
  };
  // Links that are noted meanwhile come at the end of the map.
  for (const [link, from] of noted) {
    const { origin: host, protocol, hash, href } = new URL(link);
    if (protocol === 'data:') continue;
    if (!origins.has(host)) {
      if (protocol !== 'https:' && protocol !== 'mailto:') broken.push(`${from} → ${link}: neither ours nor https`);
      outside.add(link);
      continue;
    }
    const markup = await readPage(href.slice(0, href.length - hash.length), from);
    const anchor = decodeURIComponent(hash.slice(1));
    if (anchor && markup && !markup.includes(`id="${anchor}"`)) broken.push(`${from} → ${link}: no such anchor`);
  }
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join('\n')}`);
  return `${noted.size} links, ${read.size} pages and files; ${outside.size} links to other servers were not followed`;
};
