// Entity tags: versions of records in ETag, If-Match and If-None-Match (RFC 9110 §8.8.3, §13.1).
import { type Named, Precondition } from '../data/noun/precondition.ts';

/** The alias under which a stored operation selects the version of a record whose reply has an ETag. */
export const versionAlias = 'etag';

/** Removes the version from a record before the reply is made, and returns it; null when there is none. */
export const takeVersion = (record: unknown): number | null => {
  const fields = record as Record<string, number | undefined>;
  const version = fields[versionAlias];
  fields[versionAlias] = undefined;
  return version ?? null;
};

export const formatTag = (version: number): string => `"${version}"`;

/** The versions that a header names. A list is compared strongly for a change, so that weak tags name none; what is no tag names none either. */
const readTags = (header: string | null, isStrong: boolean): Named | undefined => {
  if (header === null) return undefined;
  if (header.trim() === '*') return '*';
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/gi)].filter(([, weak]) => !(isStrong && weak));
  return new Set(tags.map(([, , version]) => version!));
};

/** The expectation of a request of its record; undefined for anything. A read is answered with 304 by `If-None-Match`, and not refused. */
export const readPrecondition = (headers: Headers, isWrite: boolean): Precondition | undefined => {
  const match = readTags(headers.get('if-match'), true);
  const noneMatch = isWrite ? readTags(headers.get('if-none-match'), false) : undefined;
  return match || noneMatch ? new Precondition(match, noneMatch) : undefined;
};

export const matchesNoneMatch = (headers: Headers, version: number): boolean => {
  const known = readTags(headers.get('if-none-match'), false);
  return known === '*' || known?.has(String(version)) === true;
};
