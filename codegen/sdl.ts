// Writes the SDL of a schema with its directives, which the printer of graphql-js leaves out.
import {
  type GraphQLObjectType,
  type GraphQLSchema,
  lexicographicSortSchema,
  parse,
  printSchema,
  visit,
} from 'graphql';
import { formatFieldDirectives, formatTypeDirectives } from '../schema/graph/directives.ts';

/** The sorted SDL. The printed text is kept, and directives are inserted into it: other printers change its layout. */
export const printSdl = (schema: GraphQLSchema): string => {
  const text = printSchema(lexicographicSortSchema(schema));
  const inserted: { at: number; directives: string[] }[] = [];
  visit(parse(text), {
    ObjectTypeDefinition: ({ name, interfaces = [], fields = [] }) => {
      const known = (schema.getType(name.value) as GraphQLObjectType).getFields();
      inserted.push({ at: (interfaces.at(-1) ?? name).loc!.end, directives: formatTypeDirectives(schema, name.value) });
      for (const field of fields) {
        const directives = formatFieldDirectives(schema, known[field.name.value]!, name.value);
        inserted.push({ at: field.type.loc!.end, directives });
      }
      return false;
    },
  });
  let written = '';
  let end = 0;
  for (const { at, directives } of inserted) {
    written += text.slice(end, at) + directives.map((directive) => ` ${directive}`).join('');
    end = at;
  }
  return written + text.slice(end);
};
