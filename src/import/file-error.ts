// The error of a file that cannot be read, or not by the options that were given.
export class FileError extends Error {}
