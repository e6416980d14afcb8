// Entity tags: versions of records in ETag, If-Match and If-None-Match (RFC 9110 §8.8.3, §13.1).

/** The alias under which a stored operation selects the version of a record whose reply has an ETag. */
export const versionAlias = 'etag';

/** Removes the version from a record before the reply is made, and returns its tag; undefined when there is none. */
export const takeVersionTag = (record: unknown): string | undefined => {
  const fields = record as Record<string, unknown>;
  const version = fields[versionAlias];
  fields[versionAlias] = undefined;
  return version === undefined ? undefined : `"${version}"`;
};

/** The message for an If-Match that is not one of our tags. */
export const tagRule = 'must be * or one entity tag as ETag gave it, such as "3"';

/** The version that an If-Match expects; undefined for any, and the text itself when it is malformed. */
export const parseIfMatch = (ifMatch: string | null): number | string | undefined => {
  if (ifMatch === null || ifMatch === '*') return undefined;
  const version = /^"(\d{1,9})"$/.exec(ifMatch)?.[1];
  return version === undefined ? ifMatch : Number(version);
};

/** Whether an If-None-Match names the tag of the reply. Tags are compared weakly, and malformed ones are ignored. */
export const matchesNoneMatch = (ifNoneMatch: string | null, tag: string): boolean =>
  ifNoneMatch !== null &&
  (ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([known]) => known === tag));
