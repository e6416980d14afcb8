// Random valid documents: each has one meaning, and can be written plainly, with inline fragments, with named fragments, and with its root fields twice.
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import type { Json } from '../harness/app.ts';
import { fields as argumentsOfFields, type Ids } from '../requests/index.ts';
import type { Chance } from '../search/random.ts';

/** A field of a selection. Keys of one selection differ. */
interface DrawnField {
  key: string;
  name: string;
  args: string;
  directive: string;
  below?: DrawnSelection;
}
/** Fields on a type, and groups of fields in a fragment of their own. */
interface DrawnSelection {
  on: string;
  fields: DrawnField[];
  groups: (DrawnSelection & { directive: string })[];
}

export interface DrawnDocument {
  operation: 'query' | 'mutation';
  roots: DrawnField[];
  /** Declarations of the variables of its arguments. */
  declared: string[];
  variables: Json;
}

const roots = { query: schema.getQueryType()!, mutation: schema.getMutationType()! };
/** What these show differs from one request to the next. */
// A page of duplicates ends after a tenth of a second, `spaceUsage` counts the requests of the test itself.
const unsteady = new Set([
  ...['rateLimit', 'explainSearch', 'lastUsedAt', 'personExport', 'duplicateContacts', 'spaceUsage'],
]);
/** Mutations that fail for a missing record before they change anything. */
const failing = Object.keys(roots.mutation.getFields()).filter((name) => /^delete[A-Z]/.test(name));
const missing = 987_654_321;

const directives = ['', '', '', '', ' @include(if: $yes)', ' @skip(if: $yes)', ' @include(if: $no)', ' @skip(if: $no)'];
const literals = [' @include(if: false)', ' @skip(if: true)', ' @include(if: true)'];
const drawDirective = ({ pick, odds }: Chance): string => (odds(0.1) ? pick(literals) : pick(directives));

const isMany = (field: GraphQLField<unknown, unknown>): boolean =>
  isListType(getNullableType(field.type)) || field.args.some(({ name }) => name === 'first');

class Draw {
  readonly #chance: Chance;
  #aliases = 0;
  #fieldsLeft: number;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#fieldsLeft = 6 + chance.whole(14);
  }

  document(ids: Ids): DrawnDocument {
    const { odds, pick, whole } = this.#chance;
    const operation = odds(0.15) ? 'mutation' : 'query';
    const names = Object.keys(roots.query.getFields()).filter((name) => !unsteady.has(name));
    const declared: string[] = [];
    const variables: Json = {};
    const drawn: DrawnField[] = [];
    for (let nth = 0; nth < 1 + whole(3); nth++) {
      // Contacts are at the bottom of what is written as JSON, and `node` leads everywhere.
      const common = ['contact', 'contacts', 'searchContacts', 'node', 'nodes', 'viewer', 'contactBy'];
      const name = operation === 'mutation' ? pick(failing) : odds(0.6) ? pick(common) : pick(names);
      const field = roots[operation].getFields()[name]!;
      const given = operation === 'mutation' ? { input: this.#missingInput(field) } : argumentsOfFields[name]!(ids);
      const args = field.args.filter((one) => one.name in given);
      const passed = args.map((one) => {
        const variable = `${one.name}${nth}`;
        declared.push(`$${variable}: ${one.type}`);
        variables[variable] = given[one.name];
        return `${one.name}: $${variable}`;
      });
      drawn.push({
        key: nth === 0 && odds(0.7) ? name : `r${nth}`,
        name,
        args: passed.length > 0 ? `(${passed.join(', ')})` : '',
        directive: nth > 0 ? drawDirective(this.#chance) : '',
        ...this.#below(field, 4),
      });
    }
    return { operation, roots: drawn, declared, variables };
  }

  #missingInput(field: GraphQLField<unknown, unknown>): Json {
    const type = getNamedType(field.args[0]!.type) as unknown as GraphQLObjectType;
    return Object.fromEntries(Object.keys(type.getFields()).map((name) => [name, missing]));
  }

  #below(field: GraphQLField<unknown, unknown>, depth: number): { below?: DrawnSelection } {
    const type = getNamedType(field.type);
    return isObjectType(type) || isInterfaceType(type) || isUnionType(type)
      ? { below: this.#selection(type.name, depth) }
      : {};
  }

  #selection(on: string, depth: number): DrawnSelection {
    const { odds, pick, whole, some } = this.#chance;
    const type = schema.getType(on)!;
    if (isObjectType(type)) {
      const groups = odds(0.25)
        ? [{ ...this.#fields(type, 1 + whole(2), depth, true), directive: drawDirective(this.#chance) }]
        : [];
      return { ...this.#fields(type, 1 + whole(4), depth), groups };
    }
    if (!isInterfaceType(type) && !isUnionType(type)) throw new Error(`${on} has no fields`);
    const possible = [...schema.getPossibleTypes(type)];
    const likely = possible.filter(({ name }) => /^(Contact|User|Note|Donation|Segment|Team)$/.test(name));
    const narrowed = some(odds(0.7) && likely.length > 0 ? likely : possible, 1 + whole(2));
    return {
      on,
      fields: [{ key: '__typename', name: '__typename', args: '', directive: '' }],
      groups: [...new Set(narrowed)].map((one) => ({
        ...this.#fields(one, 1 + whole(3), depth),
        directive: odds(0.3) ? pick(directives) : '',
      })),
    };
  }

  /** `isFurther`: other fields of the same object stand beside these, perhaps with other arguments under the same key. */
  #fields(type: GraphQLObjectType, count: number, depth: number, isFurther = false): DrawnSelection {
    const { odds, pick } = this.#chance;
    const selectable = Object.values(type.getFields()).filter(
      (field) =>
        !unsteady.has(field.name) &&
        !field.args.some(isRequiredArgument) &&
        (depth > 0 || 'parseValue' in getNamedType(field.type)),
    );
    const composite = selectable.filter((field) => !('parseValue' in getNamedType(field.type)));
    const fields: DrawnField[] = [];
    for (let nth = 0; nth < count && this.#fieldsLeft > 0 && selectable.length > 0; nth++) {
      this.#fieldsLeft--;
      const field = composite.length > 0 && odds(0.5) ? pick(composite) : pick(selectable);
      const hasAlias = fields.some(({ key }) => key === field.name) || odds(0.1);
      const args = isMany(field) && field.args.some(({ name }) => name === 'first') ? `(first: ${1 + (nth % 3)})` : '';
      fields.push({
        // Fields of different types below an interface may share a key only when they are alike.
        key: hasAlias || isInterfaceType(type) || (isFurther && args !== '') ? `a${this.#aliases++}` : field.name,
        name: field.name,
        args,
        directive: odds(0.2) ? drawDirective(this.#chance) : '',
        ...this.#below(field, depth - 1),
      });
    }
    // A selection is never empty.
    if (fields.length === 0) fields.push({ key: '__typename', name: '__typename', args: '', directive: '' });
    return { on: type.name, fields, groups: [] };
  }
}

export const drawDocument = (chance: Chance, ids: Ids): DrawnDocument => new Draw(chance).document(ids);

export const spellings = ['plain', 'inlined', 'named', 'twice'] as const;
export type Spelling = (typeof spellings)[number];

/** The text of a document. Each spelling means the same, and answers in the same order. */
export const writeDocument = (document: DrawnDocument, spelling: Spelling): string => {
  const definitions: string[] = [];
  const wrap = (on: string, directive: string, fields: string): string => {
    if (spelling !== 'named') return `... on ${on}${directive} { ${fields} }`;
    const name = `F${definitions.length}`;
    definitions.push(`fragment ${name} on ${on} { ${fields} }`);
    return `...${name}${directive}`;
  };
  const writeSelection = ({ on, fields, groups }: DrawnSelection): string => {
    const own = fields.map(writeField).join(' ');
    const others = groups.map((group) => wrap(group.on, group.directive, group.fields.map(writeField).join(' ')));
    const isWrapped = spelling === 'named' || spelling === 'inlined';
    return [isWrapped ? wrap(on, '', own) : own, ...others].join(' ');
  };
  const writeHead = ({ key, name, args, directive }: DrawnField): string =>
    `${key === name ? '' : `${key}: `}${name}${args}${directive}`;
  const writeField = (field: DrawnField): string =>
    `${writeHead(field)}${field.below ? ` { ${writeSelection(field.below)} }` : ''}`;
  const writeRoot = (field: DrawnField): string => {
    if (spelling !== 'twice' || !field.below) return writeField(field);
    const start = { ...field.below, fields: field.below.fields.slice(0, 1), groups: [] };
    return `${writeField({ ...field, below: start })} ${writeField(field)}`;
  };
  const roots = document.roots.map(writeRoot).join(' ');
  const type = document.operation === 'query' ? 'Query' : 'Mutation';
  const body = spelling === 'named' || spelling === 'inlined' ? wrap(type, '', roots) : roots;
  const declared = ['$yes: Boolean! = true', '$no: Boolean! = false', ...document.declared].join(', ');
  // A variable that no directive uses would be a fault.
  const used = `__typename @include(if: $yes) @skip(if: $no)`;
  return [`${document.operation} Drawn(${declared}) { ${body} ${used} }`, ...definitions].join('\n');
};
