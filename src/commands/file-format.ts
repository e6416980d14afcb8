// What a file is by its name.

export const fileFormats = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** By the end of the name, but for `.gz`; undefined where it says nothing. */
export const findFileFormat = (file: string): FileFormat | undefined => {
  const [, end] = /\.(csv|(?:nd)?jsonl?)(?:\.gz)?$/i.exec(file) ?? [];
  if (!end) return undefined;
  return end.toLowerCase() === 'csv' ? 'csv' : 'ndjson';
};
