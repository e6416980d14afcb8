// Refuses JSON that nests too deep or has too long a list. It scans the text, since parsing takes longer.
import { limits } from './limits.ts';
import { createInvalidProblem } from './problem.ts';

/** Validators of JSON recurse once per level. */
const { jsonDepth: maxDepth } = limits.request;
/** The length of the longest list that any field accepts. */
const { itemsOfAny: maxItems } = limits.list;

/** Character codes. */
const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125];

/** How many characters of a key an error shows. */
const shownOfKey = 100;

interface Fault {
  /** The path to the list that is too long; undefined when the text nests too deep. */
  path?: string;
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

/** Finds the first list that is too long, or the first level that is too deep. The text may be invalid JSON. */
const findFault = (text: string): Fault | undefined => {
  let depth = 0;
  let string = 0;
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
        if (isList[depth] && complete[depth]! >= maxItems) return { path: pathTo(depth) };
        break;
      case openArray:
      case openObject:
        if (++depth > maxDepth) return {};
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
 * Throws 400 when a JSON text nests too deep or has too long a list. `location` names the text in the error; `lists` is the prefix of
 * the path to a list.
 */
export const checkJsonShape = (text: string, location: string, lists = location): void => {
  const fault = findFault(text);
  if (!fault) return;
  if (fault.path === undefined)
    throw createInvalidProblem([{ location, message: `must not nest deeper than ${maxDepth} levels` }]);
  const place = `${lists}${fault.path}`.replace(/^\./, '') || location;
  throw createInvalidProblem([{ location: place, message: `must be at most ${maxItems} items` }]);
};
