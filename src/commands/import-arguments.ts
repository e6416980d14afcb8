// Reads the options of imports: the meaning of columns and of values, separators, and encodings.
import { existsSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { ValueMap } from '../import/columns.ts';
import { type EncodingName, encodingNames, findEncodingName } from '../import/encoding.ts';

/** Trims column names, as the columns of the file are trimmed. The object has no prototype, since a column may be called `constructor`. */
const trimNames = (map: Record<string, string>): Record<string, string> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(map).map(([column, known]) => [column.trim(), known.trim()])),
  );

const parseJson = (json: string, where: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new InvalidArgumentError(`${where} is not JSON: ${(error as Error).message}`);
  }
};

/** Reads a map that was JSON, which can name any column. */
const requireMap = (map: unknown, where: string): Record<string, string> => {
  const isMap =
    typeof map === 'object' &&
    map !== null &&
    !Array.isArray(map) &&
    Object.values(map).every((one) => typeof one === 'string');
  if (!isMap)
    throw new InvalidArgumentError(`${where} must be a JSON object of strings, such as {"Nom, prénom": "surname"}`);
  return trimNames(map as Record<string, string>);
};

/** Reads `Nom=surname,CP=address_postalcode`, the same as a JSON object, or the path of a file with that object. */
export const readColumnMap = (text: string): Record<string, string> => {
  if (text.trim().startsWith('{')) return requireMap(parseJson(text, 'it'), 'it');
  if (existsSync(text)) return requireMap(parseJson(readFileSync(text, 'utf8').replace(/^\ufeff/, ''), text), text);
  return trimNames(
    Object.fromEntries(
      text.split(',').map((pair) => {
        const at = pair.lastIndexOf('=');
        if (at < 1)
          throw new InvalidArgumentError(
            `${pair} must be <column of the file>=<column of contacts>. A name that contains a comma needs JSON: {"Nom, prénom": "surname"}`,
          );
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    ),
  );
};

/** Adds `Genre: Mme=F, M.=M`, or the same as a JSON object, to the values that are named before. */
export const readValues = (text: string, before: ValueMap = {}): ValueMap => {
  const at = text.indexOf(':');
  const isJson = text.trim().startsWith('{');
  if (at < 1 && !isJson)
    throw new InvalidArgumentError(
      'it must be <column of the file>: <value>=<what is read>, …, such as Genre: Mme=F, M.=M. A text with a comma needs JSON: {"Genre": {"Mme, M.": "F"}}',
    );
  const named: [column: string, map: Record<string, string>][] = isJson
    ? Object.entries(parseJson(text, 'it') as object).map(([column, map]) => [column.trim(), requireMap(map, column)])
    : [[text.slice(0, at).trim(), readColumnMap(text.slice(at + 1))]];
  return Object.assign(Object.create(null), before, Object.fromEntries(named));
};

export const readDelimiter = (text: string): string => {
  const named = /^(?:\\t|tab)$/i.test(text) ? '\t' : text;
  if (named.length !== 1 || /["\r\n]/.test(named))
    throw new InvalidArgumentError('must be one character, such as ; or tab');
  return named;
};

/** The encoding of a file, by one of its names. */
export const readEncodingName = (text: string): EncodingName => {
  const encoding = findEncodingName(text);
  if (!encoding) throw new InvalidArgumentError(`must be ${encodingNames.join(', ')}, latin1 or iso-8859-1`);
  return encoding;
};
