// Generates TypeScript from the graph: types of inputs, enums, variables and results for the documents of a package, by GraphQL Code Generator.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildASTSchema, type GraphQLSchema, parse, validate } from 'graphql';
import { capitalize } from '../src/input/snake-case.ts';
import { printOperations } from './operations.ts';
import { printSdl } from './sdl.ts';

/** How JSON carries the scalars that are not GraphQL's own. `QueryTree` is the contract's notation of a search. */
const scalarTypes = {
  ID: { input: 'string | number', output: 'string' },
  ContactQueryJSON: 'ContactQuery',
  Date: 'string',
  DateTime: 'string',
  QueryTree: 'object',
  SafeInt: 'number',
  SearchDate: 'string',
  WholeNumber: 'number',
};

interface Source {
  path: string;
  text: string;
}

/** The files of a folder whose names end so, in the order of their names. */
const readSources = (folder: string, ending: string): Source[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => ({ path: join(folder, file), text: readFileSync(join(folder, file), 'utf8') }));

/**
 * Runs the client preset with this configuration over documents, and returns its files by their paths below `output`. Throws when a
 * document does not fit the schema.
 */
const runClientPreset = async (
  schema: GraphQLSchema,
  output: string,
  sources: readonly Source[],
  { config, presetConfig = {} }: { config: object; presetConfig?: object },
): Promise<Map<string, string>> => {
  const ast = parse(printSdl(schema));
  const documents = sources.map(({ path, text }) => ({ rawSDL: text, document: parse(text), location: path }));
  const faults = validate(buildASTSchema(ast), parse(sources.map(({ text }) => text).join('\n')));
  if (faults.length > 0)
    throw new Error(
      `${sources.map(({ path }) => path).join(', ')}: ${faults.map(({ message }) => message).join('; ')}`,
    );
  const parts = await preset.buildGeneratesSection({
    baseOutputDir: output,
    schema: ast,
    schemaAst: buildASTSchema(ast),
    documents,
    config,
    presetConfig,
    plugins: [],
    pluginMap: {},
  });
  return new Map(await Promise.all(parts.map(async (part) => [part.filename, await codegen(part)] as const)));
};

/** The documents of the client as constants, with their types. They are texts, so that nothing parses or prints them at run time. */
export const writeClientDocuments = async (schema: GraphQLSchema, folder: string, note: string): Promise<string> => {
  const sources = readSources(folder, '.graphql');
  const files = await runClientPreset(schema, 'generated/', sources, {
    config: {
      documentMode: 'string',
      useTypeImports: true,
      enumsAsTypes: true,
      strictScalars: true,
      scalars: { ...scalarTypes, SearchDate: '../search/search-date.ts#SearchDate' },
    },
    presetConfig: { fragmentMasking: false },
  });
  // The preset's own constants are objects of a class that needs its package; ours are texts.
  const [types] = files.get('generated/graphql.ts')!.split(/^export class TypedDocumentString/m);
  const constants = printOperations(parse(sources.map(({ text }) => text).join('\n'), { noLocation: true })).map(
    ({ name, kind, text }) => {
      const type = `${name}${capitalize(kind)}`;
      return `export const ${name}Document = \`${text}\` as TypedDocument<${type}, ${type}Variables>;\n`;
    },
  );
  const own = types!
    .split('\n')
    .filter((line) => line !== '/* eslint-disable */' && !line.startsWith('import type { DocumentTypeDecoration }'))
    .join('\n');
  return `// ${note}\nimport type { TypedDocument } from '../document.ts';\n${own}${constants.join('\n')}`;
};

/** The documents in a file of TypeScript: the texts within `graphql(\`…\`)`. */
const readTaggedDocuments = (path: string): Source[] =>
  [...readFileSync(path, 'utf8').matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map(([, text]) => ({ path, text: text! }));

/** The settings of GraphQL Code Generator that are used here. */
interface CodegenSettings {
  documents: string;
  generates: Record<string, { presetConfig: object; config: object }>;
}

/** Generates what the settings of an app ask for, by their paths, as the command line of GraphQL Code Generator does. */
export const writeAppTypes = async (
  schema: GraphQLSchema,
  folder: string,
  { documents, generates }: CodegenSettings,
  note: string,
): Promise<Map<string, string>> => {
  const [[output, settings]] = Object.entries(generates) as [[string, CodegenSettings['generates'][string]]];
  const sources = readTaggedDocuments(join(folder, documents));
  const files = await runClientPreset(schema, join(folder, output), sources, settings);
  // The preset leaves extensions out; bundlers find the files in both ways, and the compiler as the app writes them.
  return new Map([...files].map(([path, text]) => [path, `// ${note}\n${text}`]));
};
