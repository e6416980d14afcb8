// The tags of a contact in one cell: names with semicolons between them. A name that would not come back so is in quotes, as a cell of CSV is.
import { splitList } from './cells.ts';

/** Groups of Google Contacts that every user has. */
const systemLabel = /^\* (?:myContacts|starred|otherContacts)$/i;
const splitPlain = (text: string): string[] =>
  splitList(text)
    .filter((tag) => !systemLabel.test(tag))
    .map((tag) => tag.replace(/^\* /, ''));

/** A name in quotes, where the next name or the end follows. */
const quoted = /\s*"((?:[^"]|"")+)"\s*(?:;|$)/y;

/** The names in a cell. A quote within a name, or one that is not closed, is read as written. */
export const splitTags = (text: string): string[] => {
  const tags: string[] = [];
  for (let at = 0; at < text.length; ) {
    quoted.lastIndex = at;
    const [, name] = quoted.exec(text) ?? [];
    if (name !== undefined) {
      tags.push(name.replaceAll('""', '"'));
      at = quoted.lastIndex;
      continue;
    }
    const end = text.indexOf(';', at);
    const next = end < 0 ? text.length : end;
    tags.push(...splitPlain(text.slice(at, next)));
    at = next + 1;
  }
  return tags;
};

/** Names that an import would split, shorten or take for quotes. */
const needsQuotes = /;|:::|^\s*["*]/;
const writeTag = (name: string): string => (needsQuotes.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

/** Names have commas, so that an import splits tags at semicolons alone. */
export const joinTags = (tags: readonly { name: string }[]): string =>
  tags.map(({ name }) => writeTag(name)).join('; ');
