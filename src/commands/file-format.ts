// The format of a file by its name.

export const fileFormats = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** Reads the format from the extension, without `.gz`. Returns undefined for any other extension. */
export const findFileFormat = (file: string): FileFormat | undefined => {
  const [, end] = /\.(csv|(?:nd)?jsonl?)(?:\.gz)?$/i.exec(file) ?? [];
  if (!end) return undefined;
  return end.toLowerCase() === 'csv' ? 'csv' : 'ndjson';
};
