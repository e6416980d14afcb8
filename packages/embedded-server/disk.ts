// Room on the disk of the embedded PostgreSQL: a new database needs some, and one that has none left cannot even say so.
import fs from 'node:fs';

/** In bytes: what a new database with the demo takes, and a third more. */
const needed = 300e6;
/** In bytes: with less, PostgreSQL cannot write its next file of 16 MiB, and ends. */
const least = 32e6;

const advice = 'Free some space, or set MUSTER_DATA_DIR to a folder on another disk.';
const formatMegabytes = (bytes: number): string => `${Math.floor(bytes / 1e6)} MB`;

const measureFree = (folder: string): number => {
  const { blocks, bavail, bsize } = fs.statfsSync(folder);
  // Some file systems of other machines tell no size.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
};

/** Throws when a folder has too little room for a new database. */
export const requireRoom = (folder: string): void => {
  const free = measureFree(folder);
  if (free < needed)
    throw new Error(
      `The disk of ${folder} has ${formatMegabytes(free)} free, and the first start needs ${formatMegabytes(needed)}. ${advice}`,
    );
};

/** Says that the disk of a folder is full; undefined when it is not. */
export const explainFullDisk = (folder: string): string | undefined => {
  const free = measureFree(folder);
  if (free >= least) return undefined;
  return `The disk of ${folder} is full: it has ${formatMegabytes(free)} free, and a new database needs ${formatMegabytes(needed)}. ${advice}`;
};
