// Plans how PostgreSQL writes what is selected as JSON: columns, records that are referred to, lists and their pages, at every depth.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../context.ts';
import type { RecordPlan, RequestKey } from '../data/contact/field-json.ts';
import { ContactJsonQuery } from '../data/contact/json.ts';
import type { ContactProjection, RelationUse } from '../data/contact/json-plan.ts';
import { relations } from '../data/contact/read.ts';
import type {
  Leaf,
  JsonKind as LeafKind,
  Member,
  NamedValue,
  Projection,
  RelatedRows,
  RowProjection,
  RowValue,
} from '../data/noun/json-sql.ts';
import {
  type ConnectionPart,
  type EdgePart,
  type PageInfoPart,
  type PageSource,
  readsRecords,
} from '../data/noun/page-json.ts';

import { isIncluded } from './selection.ts';

/** How PostgreSQL can write the value of a field from the row of its parent; the resolver of the field does the same with rows. */
type JsonSource =
  /** The value of a column, where the field does not expose it. */
  | { column: string; kind: LeafKind }
  /** An object made of the same row. */
  | { object: true }
  | NamedValue
  /** The rows that the parent refers to, or that belong to it; `comesAlong` where resolvers read them with the parent. */
  | { rows: RelatedRows; pick: 'one' | 'all'; comesAlong?: true }
  /** The rows that belong to the space of the request or to its user, where the parent is no record. */
  | { of: RequestKey; pick: 'one' | 'all'; buildSql: RelatedRows['buildSql'] }
  /** A relation of a contact. */
  | (Omit<RelationUse, 'of'> & { column?: string })
  /** Contacts: the resolver reads them by a ContactReader. */
  | { contact: true }
  /** The connection of a list: the resolver yields a PageSource. */
  | { connection: 'list' }
  /** Records that the resolver reads by their ids; whether PostgreSQL can write those of a type. */
  | { records: (type: string) => boolean };

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    json?: JsonSource;
  }
}

/** How the output differs for legacy clients: a changed value, `or null` where null is sent, `apart` for values that are no part of the record. */
export interface OutputShape {
  [field: string]: OutputShape | Change | 'or null' | 'apart';
}
type Change = ((value: never) => unknown) & { kind?: LeafKind };

/** Thrown where a field is more than PostgreSQL can write; while a plan is run, the resolvers answer instead. */
export class NeedsResolver extends Error {}

type AnyField = GraphQLField<unknown, unknown>;
/** A value that is the same for every row. */
type Constant = { constant: string };
const setsOf = (nodes: readonly FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet ?? []);

/** Plans the selections of one operation with the values of its variables. */
export class SelectionPlanner {
  readonly #fragments: Record<string, FragmentDefinitionNode>;
  readonly #variables: Record<string, unknown>;
  readonly #context: Context;
  /** Whether resolvers may answer after a plan has failed: not for mutations. */
  readonly #mayRunAgain: boolean;

  constructor(
    fragments: Record<string, FragmentDefinitionNode>,
    variables: Record<string, unknown>,
    { context, mayRunAgain }: { context: Context; mayRunAgain: boolean },
  ) {
    this.#fragments = fragments;
    this.#variables = variables;
    this.#context = context;
    this.#mayRunAgain = mayRunAgain;
  }

  /** The fields of these selections by their response key, as the executor collects them; for an abstract type those of any object. */
  collectFields(
    sets: readonly SelectionSetNode[],
    isOf: (typeCondition: string) => boolean = () => true,
    into = new Map<string, FieldNode[]>(),
    spread = new Set<string>(),
  ): Map<string, FieldNode[]> {
    for (const selection of sets.flatMap(({ selections }) => selections)) {
      if (!isIncluded(selection, this.#variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const known = into.get(key);
        if (known) known.push(selection);
        else into.set(key, [selection]);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments[selection.name.value]!;
      const on = fragment.typeCondition?.name.value;
      if (on === undefined || isOf(on)) this.collectFields([fragment.selectionSet], isOf, into, spread);
    }
    return into;
  }

  /** Plans the JSON of a contact. Throws NeedsResolver. */
  planContact(type: GraphQLObjectType, nodes: readonly FieldNode[], wire?: OutputShape): ContactProjection {
    return this.#planMembers(type, nodes, wire, (field, below, changed) => this.#planOfContact(field, below, changed));
  }

  /** Plans the JSON of a row. Throws NeedsResolver. */
  planRow(type: GraphQLObjectType, nodes: readonly FieldNode[], wire?: OutputShape): RowProjection {
    return this.#planMembers(type, nodes, wire, (field, below, changed) => this.#planOfRow(field, below, changed));
  }

  /** Plans the JSON of a record that is read by its id. The selection may be on an interface of its type. Throws NeedsResolver. */
  planRecord(type: GraphQLObjectType, nodes: readonly FieldNode[], canWrite: boolean): RecordPlan {
    const names = [type, ...type.getInterfaces()].map(({ name }) => name);
    const fields = this.collectFields(setsOf(nodes), (on) => names.includes(on));
    const ids = this.#planIds(type, fields);
    if (ids) return ids;
    if (!canWrite) throw new NeedsResolver();
    const selections = [...fields.values()].flat();
    const own: FieldNode = { ...nodes[0]!, selectionSet: { kind: Kind.SELECTION_SET, selections } };
    if (type.name === 'Contact') return { contacts: new ContactJsonQuery(this.planContact(type, [own]), false) };
    return { of: this.planRow(type, [own]) };
  }

  /** Plans a record of which the client selects only ids. The reader checks that it exists, and JavaScript writes its JSON. */
  #planIds(type: GraphQLObjectType, fields: ReadonlyMap<string, FieldNode[]>): RecordPlan | undefined {
    const members: ((id: number) => string)[] = [];
    for (const [key, [node]] of fields) {
      const { value: name } = node!.name;
      const { pothosExposedField, globalIdOf } = type.getFields()[name]?.extensions ?? {};
      if (name === '__typename') members.push(() => `"${key}":"${type.name}"`);
      else if (globalIdOf) members.push((id) => `"${key}":"${globalIdOf}:${id}"`);
      else if (pothosExposedField === 'id') members.push((id) => `"${key}":${id}`);
      else return undefined;
    }
    return { writeText: (id) => `{${members.map((write) => write(id)).join(',')}}` };
  }

  #planMembers<Value>(
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
    wire: OutputShape | undefined,
    plan: (field: AnyField, nodes: readonly FieldNode[], changed: OutputShape | Change | undefined) => Value,
  ): Projection<Value | Constant> {
    const members: Member<Value | Constant>[] = [];
    for (const [key, below] of this.collectFields(setsOf(nodes))) {
      const changed = wire?.[key];
      if (changed === 'apart') continue;
      const nulls = !wire || changed === 'or null';
      const { value: name } = below[0]!.name;
      const field = type.getFields()[name] as AnyField | undefined;
      if (name === '__typename') members.push({ key, nulls, value: { constant: `"${type.name}"` } });
      else if (!field) throw new NeedsResolver();
      else {
        const shape = wire && (typeof changed === 'object' || typeof changed === 'function' ? changed : {});
        members.push({ key, nulls, value: plan(field, below, shape) });
      }
    }
    // Directives may leave out all of a selection, and SQL has no expression for no columns.
    if (members.length === 0) throw new NeedsResolver();
    return members;
  }

  #planOfContact(
    field: AnyField,
    nodes: readonly FieldNode[],
    wire: OutputShape | Change | undefined,
  ): RowValue | RelationUse {
    const { json } = field.extensions;
    if (!json || !('part' in json)) return this.#planOfRow(field, nodes, wire);
    const { column, ...use } = json;
    const named = getNamedType(field.type);
    if (isLeafType(named)) return { ...use, of: planLeaf(field, column, undefined) };
    if (!isObjectType(named)) throw new NeedsResolver();
    return { ...use, of: this.planRow(named, nodes, wire as OutputShape | undefined) };
  }

  #planOfRow(field: AnyField, nodes: readonly FieldNode[], wire: OutputShape | Change | undefined): RowValue {
    const { json, pothosExposedField } = field.extensions;
    const named = getNamedType(field.type);
    if (typeof wire === 'function' && !wire.kind) throw new NeedsResolver();
    if (json && 'connection' in json) return this.#planPage(field, nodes);
    if (field.args.length > 0) throw new NeedsResolver();
    if (isLeafType(named)) {
      if (json && 'buildNameSql' in json) return json;
      if (json) return 'column' in json && 'kind' in json ? planLeaf(field, json.column, json.kind) : refuse();
      return planLeaf(field, pothosExposedField, typeof wire === 'function' ? wire.kind : undefined);
    }
    if (!json || !isObjectType(named)) throw new NeedsResolver();
    const of = this.planRow(named, nodes, wire as OutputShape | undefined);
    if ('object' in json) return { object: of };
    const ids = 'rows' in json && json.rows.isOwner && takeIdProjection(of, json.rows.by);
    if (ids) return { object: ids };
    const nullable = !isNonNullType(field.type);
    this.refuseRequired(json, nullable);
    if ('rows' in json) return { ...json, nullable, of };
    return 'part' in json && !json.column
      ? { rows: toRelatedRows(json), pick: json.pick === 'all' ? 'all' : 'one', nullable, of }
      : refuse();
  }

  /** Throws NeedsResolver, in a mutation, for a value that resolvers may have to answer instead: a mutation cannot run a second time. */
  refuseRequired(json: JsonSource, nullable: boolean): void {
    if (this.#mayRunAgain) return;
    const isRequired = !nullable && 'pick' in json && json.pick === 'one';
    if (isRequired || ('rows' in json && json.rows.bound)) throw new NeedsResolver();
  }

  /** Plans the page of the list that belongs to a row. The resolver reports faulty arguments. */
  #planPage(field: AnyField, nodes: readonly FieldNode[]): RowValue {
    const parts = this.planConnection(field, nodes);
    try {
      const args = getArgumentValues(field, nodes[0]!, this.#variables);
      const info = { fieldNodes: [...nodes] } as unknown as GraphQLResolveInfo;
      const source = field.resolve!({ id: 0 }, args, this.#context, info) as PageSource | Promise<unknown>;
      if (source instanceof Promise) source.catch(() => {});
      else if (source.prepareJson) return { build: source.prepareJson(parts) };
    } catch (error) {
      // The resolver says what is wrong with them.
      if (!(error instanceof GraphQLError)) throw error;
    }
    throw new NeedsResolver();
  }

  /** Plans the JSON of a list connection. Throws NeedsResolver. */
  planConnection(field: AnyField, nodes: readonly FieldNode[]): Projection<ConnectionPart> {
    const type = getNamedType(field.type) as GraphQLObjectType;
    const parts = this.#planMembers<ConnectionPart>(type, nodes, undefined, (part, below): ConnectionPart => {
      if (part.args.length > 0) throw new NeedsResolver();
      const named = getNamedType(part.type) as GraphQLObjectType;
      if (part.name === 'totalCount') return 'totalCount';
      if (part.name === 'nodes') return { nodes: this.planRow(named, below) };
      if (part.name === 'edges') return { edges: this.#planEdges(named, below) };
      return part.name === 'pageInfo' ? { pageInfo: this.#planPageInfo(named, below) } : refuse();
    });
    // A statement reads something of the space.
    if (!readsRecords(parts) && parts.every(({ value }) => value !== 'totalCount')) throw new NeedsResolver();
    return parts;
  }

  #planEdges(type: GraphQLObjectType, nodes: readonly FieldNode[]): Projection<EdgePart> {
    return this.#planMembers<EdgePart>(type, nodes, undefined, ({ name, type: of }, below): EdgePart => {
      if (name === 'cursor') return 'cursor';
      return name === 'node' ? { node: this.planRow(getNamedType(of) as GraphQLObjectType, below) } : refuse();
    });
  }

  #planPageInfo(type: GraphQLObjectType, nodes: readonly FieldNode[]): Projection<PageInfoPart> {
    return this.#planMembers<PageInfoPart>(type, nodes, undefined, ({ name }) => name as PageInfoPart);
  }
}

const refuse = (): never => {
  throw new NeedsResolver();
};

/** The same projection from a row that has the id of the record in `column`; undefined when the client selects more than ids. */
export const takeIdProjection = (of: RowProjection, column: string): RowProjection | undefined => {
  const isKnown = (value: RowValue): boolean => 'constant' in value || ('column' in value && value.column === 'id');
  if (!of.every(({ value }) => isKnown(value))) return undefined;
  return of.map((member) => ({
    ...member,
    value: 'column' in member.value ? { ...member.value, column } : member.value,
  }));
};

/** A relation of contacts for contacts that are read as rows of another record. */
const toRelatedRows = ({ part, where }: Omit<RelationUse, 'of'>): RelatedRows => ({
  by: 'id',
  buildSql: (of) => {
    const sql = relations[part](`= ${of}`);
    return where ? `select * from (${sql}) all_of where ${where.column} ${where.not ? '<>' : '='} '${where.is}'` : sql;
  },
});

const leafKinds: Record<string, LeafKind> = {
  Int: 'number',
  Float: 'number',
  SafeInt: 'number',
  String: 'text',
  Boolean: 'boolean',
  DateTime: 'instant',
  Date: 'day',
};

const planLeaf = ({ type, extensions }: AnyField, column: unknown, written: LeafKind | undefined): Leaf => {
  if (extensions.globalIdOf)
    return { column: 'id', kind: 'number', nullable: false, globalIdOf: extensions.globalIdOf };
  const named = getNamedType(type);
  const nullable = !isNonNullType(type);
  if (typeof column !== 'string' || extensions.pothosResolveWrapped) throw new NeedsResolver();
  // A list of them is a relation, or has a kind of its own.
  const isList = isListType(getNullableType(type));
  if (written) return { column, kind: written, nullable };
  if (isEnumType(named) && !isList) {
    const values = named.getValues();
    if (values.every(({ name, value }) => name === value)) return { column, kind: 'text', nullable };
    if (values.some(({ value }) => typeof value !== 'string')) throw new NeedsResolver();
    return { column, kind: 'text', nullable, names: values.map(({ name, value }) => [value as string, name]) };
  }
  const kind = leafKinds[named.name];
  // PostgreSQL writes an array of texts as it writes a text.
  if (!kind || (isList && kind !== 'text' && !(extensions.json && 'part' in extensions.json)))
    throw new NeedsResolver();
  return { column, kind, nullable };
};
