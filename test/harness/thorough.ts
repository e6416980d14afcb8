// How much the tests do: enough for each change, or with MUSTER_THOROUGH=true all that they can, which takes twice as long.
export const isThorough = process.env.MUSTER_THOROUGH === 'true';

/** A count for each change, or the one for a thorough run. */
export const chooseCount = (usual: number, thorough: number): number => (isThorough ? thorough : usual);

/** Every so many of these cases, the first among them; all of them in a thorough run. */
export const sampleCases = <Case>(cases: readonly Case[], every: number): Case[] =>
  cases.filter((_, place) => isThorough || place % every === 0);
