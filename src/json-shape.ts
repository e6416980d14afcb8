// The shape of JSON, checked in its text: what nests too deep or lists too much is refused before it is parsed, which would take longer.
import { limits } from './limits.ts';
import { invalid } from './problem.ts';

/** Much of what reads JSON calls itself once a level. */
const { jsonDepth: maxDepth } = limits.request;
/** As many as the longest list that any field takes. */
const { itemsOfAny: maxItems } = limits.list;

/** Codes of characters. */
const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125];

/** In characters: how much of a key an error shows. */
const shownOfKey = 100;

interface Fault {
  /** The steps to the list that is too long; undefined where the text nests too deep. */
  path?: string;
}

/** Where a string of JSON ends: at its closing quote, or at the end of the text. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
};

/** What is wrong with the shape of a text, which need not be JSON. */
const faultOf = (text: string): Fault | undefined => {
  let depth = 0;
  let string = 0;
  // By level: whether it is a list, how many items or members are complete, and where the key of the present member begins.
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
        at = endOfString(text, at);
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
 * Throws 400 for JSON that nests deeper, or holds a longer list, than it may. `location` is where the text was sent, `lists` how the
 * places of lists in it begin.
 */
export const requireModest = (text: string, location: string, lists = location): void => {
  const fault = faultOf(text);
  if (!fault) return;
  if (fault.path === undefined) throw invalid([{ location, message: `must not nest deeper than ${maxDepth} levels` }]);
  const place = `${lists}${fault.path}`.replace(/^\./, '') || location;
  throw invalid([{ location: place, message: `must be at most ${maxItems} items` }]);
};
