// Loaded before openapi-typescript, which writes with the API of TypeScript 5: TypeScript 7, which checks this program, has none.
import { register } from 'node:module';

const hook = `export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);
