// Compares the running Node with the oldest one that Muster runs on. It uses only what very old versions know.

const parseVersion = (text: string): number[] => (/\d+(\.\d+)*/.exec(text) || ['0'])[0].split('.').map(Number);

/** Says what to do when the running version is older than a range such as `>=20.19.0`; undefined when it is not. */
export const explainOldNode = (range: string, running: string): string | undefined => {
  const [lowest, own] = [parseVersion(range), parseVersion(running)];
  const place = lowest.findIndex((part, index) => part !== (own[index] || 0));
  if (place < 0 || (own[place] || 0) > lowest[place]!) return undefined;
  return `Node ${running} is too old: Muster needs Node ${lowest.join('.')} or newer (22 and 24 too). See https://nodejs.org`;
};
