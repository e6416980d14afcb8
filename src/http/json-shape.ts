// Refuses JSON that nests too deep, has too long a list, or too many fields or values. It scans the text, since parsing takes longer.
import { limits } from '../limits/limits.ts';
import { createInvalidProblem } from '../problem.ts';

/** Validators of JSON recurse once per level. */
const { jsonDepth: maxDepth, jsonFields: maxFields, jsonValues: maxValues } = limits.request;
/** The length of the longest list that any field accepts. */
const { itemsOfAny: maxItems } = limits.list;

/** Character codes. */
const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125];

/** How many characters of a key an error shows. */
const shownOfKey = 100;

interface Fault {
  /** The path to the list or object that is too long; undefined for a fault of the whole text. */
  path?: string;
  message: string;
}

/** Returns the index of the closing quote of a string, or the length of the text. */
const findStringEnd = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
};

const tooManyValues: Fault = { message: `must have at most ${maxValues} values` };

/** Finds the first list or object that is too long, or the first level that is too deep. The text may be invalid JSON. */
const findFault = (text: string): Fault | undefined => {
  let depth = 0;
  let string = 0;
  // Those after a comma, and the first ones of lists and objects.
  let values = 0;
  // For each level: whether it is a list, how many items or members are complete, and where the current key begins.
  const isList = new Uint8Array(maxDepth + 1);
  const complete = new Uint32Array(maxDepth + 1);
  const key = new Uint32Array(maxDepth + 1);
  const pathTo = (level: number): string => {
    const steps = Array.from({ length: level - 1 }, (_, above) => {
      if (isList[above + 1]) return `[${complete[above + 1]}]`;
      const start = key[above + 1]! + 1;
      return `.${text.slice(start, Math.min(text.indexOf('"', start), start + shownOfKey))}`;
    });
    return steps.join('');
  };
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        string = at;
        at = findStringEnd(text, at);
        break;
      case colon:
        key[depth] = string;
        break;
      case comma:
        complete[depth]!++;
        if (complete[depth]! >= (isList[depth] ? maxItems : maxFields) && depth > 0)
          return {
            path: pathTo(depth),
            message: isList[depth] ? `must be at most ${maxItems} items` : `must have at most ${maxFields} fields`,
          };
        if (++values > maxValues) return tooManyValues;
        break;
      case openArray:
      case openObject:
        if (++depth > maxDepth) return { message: `must not nest deeper than ${maxDepth} levels` };
        if (++values > maxValues) return tooManyValues;
        isList[depth] = text.charCodeAt(at) === openArray ? 1 : 0;
        complete[depth] = 0;
        break;
      case closeArray:
      case closeObject:
        if (depth > 0) depth--;
    }
  }
  return undefined;
};

/**
 * Throws 400 when a JSON text nests too deep, has too long a list or object, or too many values. `location` names the text in the error;
 * `lists` is the prefix of the path to a list or object.
 */
export const checkJsonShape = (text: string, location: string, lists = location): void => {
  const fault = findFault(text);
  if (!fault) return;
  const { path, message } = fault;
  const place = path === undefined ? location : `${lists}${path}`.replace(/^\./, '') || location;
  throw createInvalidProblem([{ location: place, message }]);
};
