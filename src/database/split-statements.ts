// Splits a SQL script into its statements, for servers that take them one by one.

/** Where something begins that may contain a semicolon that ends nothing: comments, strings, names, and bodies between dollar quotes. */
const openings = /--|\/\*|'|"|\$\w*\$|;/g;
/** What ends it. Everything else ends as it begins. */
const endings: Record<string, string> = { '--': '\n', '/*': '*/' };

/** The statements of a script, without the semicolons between them. Parts with comments alone are left out. */
export const splitStatements = (script: string): string[] => {
  const statements: string[] = [];
  let start = 0;
  let isComment = true;
  const add = (end: number): void => {
    if (!isComment) statements.push(script.slice(start, end).trim());
    start = end + 1;
    isComment = true;
  };
  for (let read = 0; read < script.length; ) {
    openings.lastIndex = read;
    const { 0: mark, index } = openings.exec(script) ?? { 0: ';', index: script.length };
    const inside = index + mark.length;
    if (script.slice(read, index).trim() !== '' || !(mark === ';' || mark in endings)) isComment = false;
    if (mark === ';') add(index);
    const ending = endings[mark] ?? mark;
    const end = mark === ';' ? index : script.indexOf(ending, inside);
    read = end < 0 ? script.length : end + ending.length;
  }
  add(script.length);
  return statements;
};
