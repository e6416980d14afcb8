// Reads the options of imports: the meaning of columns, and encodings.
import { existsSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { type EncodingName, encodingNames, findEncodingName } from '../import/encoding.ts';

/** Trims column names, as the columns of the file are trimmed. The object has no prototype, since a column may be called `constructor`. */
const trimNames = (map: Record<string, string>): Record<string, string> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(map).map(([column, known]) => [column.trim(), known.trim()])),
  );

/** Reads a map from JSON, which can name any column. */
const readMapJson = (json: string, where: string): Record<string, string> => {
  let map: unknown;
  try {
    map = JSON.parse(json);
  } catch (error) {
    throw new InvalidArgumentError(`${where} is not JSON: ${(error as Error).message}`);
  }
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
export const readMap = (text: string): Record<string, string> => {
  if (text.trim().startsWith('{')) return readMapJson(text, 'it');
  if (existsSync(text)) return readMapJson(readFileSync(text, 'utf8').replace(/^\ufeff/, ''), text);
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

/** The encoding of a file, by one of its names. */
export const readEncodingName = (text: string): EncodingName => {
  const encoding = findEncodingName(text);
  if (!encoding) throw new InvalidArgumentError(`must be ${encodingNames.join(', ')}, latin1 or iso-8859-1`);
  return encoding;
};
