// Entity tags: the version of a record, as ETag, If-Match and If-None-Match write it (RFC 9110 §8.8.3, §13.1).

/** The alias under which a stored operation selects the version of a record whose reply has an ETag. */
export const versionAlias = 'etag';

/** Takes the version out of a record of a result, before the reply is made of it; undefined when there is none. */
export const takeVersionTag = (record: unknown): string | undefined => {
  const fields = record as Record<string, unknown>;
  const version = fields[versionAlias];
  fields[versionAlias] = undefined;
  return version === undefined ? undefined : `"${version}"`;
};

/** What is wrong with an If-Match that names no version of ours. */
export const tagRule = 'must be * or one entity tag as ETag gave it, such as "3"';

/** The version that an If-Match expects, undefined for any; or the text itself, when it is neither. */
export const parseIfMatch = (ifMatch: string | null): number | string | undefined => {
  if (ifMatch === null || ifMatch === '*') return undefined;
  const version = /^"(\d{1,9})"$/.exec(ifMatch)?.[1];
  return version === undefined ? ifMatch : Number(version);
};

/** Whether an If-None-Match names what the client would be sent. Tags are compared weakly, and what is no tag is passed over. */
export const matchesNoneMatch = (ifNoneMatch: string | null, tag: string): boolean =>
  ifNoneMatch !== null &&
  (ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([known]) => known === tag));
