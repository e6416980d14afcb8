// Splits a SQL script into its statements, for servers that take them one by one.

/** What may contain a semicolon that ends nothing: comments, strings, names, and bodies between dollar quotes. */
const opaque = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;/g;
const comments = /--[^\n]*|\/\*[\s\S]*?\*\//g;

/** The statements of a script, without the semicolons between them. Parts with comments alone are left out. */
export const splitStatements = (script: string): string[] => {
  const statements: string[] = [];
  let start = 0;
  const add = (end: number): void => {
    const text = script.slice(start, end).trim();
    if (text.replaceAll(comments, '').trim() !== '') statements.push(text);
  };
  for (const match of script.matchAll(opaque)) {
    if (match[0] !== ';') continue;
    add(match.index);
    start = match.index + 1;
  }
  add(script.length);
  return statements;
};
