// One query of a statement, and all below it: which tenant tables stand in it, and whether each is restricted to the bound id of the space.

// biome-ignore lint/suspicious/noExplicitAny: a parse tree has a hundred shapes
export type Node = any;

/** The bindings of a statement, the space that it is run for, and the tenant tables and functions. */
export interface Run {
  bindings: readonly unknown[];
  space: number;
  catalogue: Catalogue;
}

/** Tables with a column group_id, and functions whose first argument is a space. */
export interface Catalogue {
  tables: ReadonlySet<string>;
  functions: ReadonlySet<string>;
}

/** A relation of a FROM, or one that is written. */
interface Relation {
  alias: string;
  /** The tenant table that it is. */
  table?: string;
  /** A subquery that may see its siblings, or not. */
  query?: { select: Node; lateral: boolean };
  hasGroup: boolean;
  /** Whether its group_id can only be the space's. */
  scoped: boolean;
  /** Whether its group_id is compared with the bound id itself. */
  bound?: boolean;
}

/** An equality that every row of some relations has passed. */
interface Equality {
  sides: [Node, Node];
  holdsFor: readonly Relation[];
}

interface Level {
  relations: Relation[];
  equalities: Equality[];
  outer: Level | undefined;
  /** Whether the group_id that they yield can only be the space's; undefined when they yield none. */
  ctes: ReadonlyMap<string, boolean | undefined>;
}

const nameOf = (field: Node): string | undefined => field?.String?.sval;
const isGroup = (field: Node): boolean => nameOf(field) === 'group_id';
const queries = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];
const nameColumn = ({ ResTarget: { name, val } }: Node): string | undefined =>
  name ?? nameOf(val.ColumnRef?.fields.at(-1));

/** Whether a subquery may yield a group_id. Most do not, and need not be read for it. */
const mayYieldGroup = ({ SelectStmt: select }: Node): boolean =>
  !select || select.larg
    ? true
    : (select.targetList ?? []).some(
        (target: Node) => target.ResTarget.val.ColumnRef?.fields.at(-1).A_Star || nameColumn(target) === 'group_id',
      );

export class Query {
  readonly faults: string[] = [];
  /** Tenant tables that are held to the space, but through a join only. */
  readonly joined: { table: string; alias: string }[] = [];
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  /** A query with all below it. Yields whether the group_id that it gives can only be the space's; undefined when it gives none. */
  read(node: Node, outer: Level | undefined, known: Level['ctes']): boolean | undefined {
    const type = queries.find((one) => node[one]);
    if (!type) return void this.faults.push(`${Object.keys(node)[0]} is not read`);
    const { withClause, larg, rarg, ...body } = node[type];
    const ctes = this.#readCtes(withClause, outer, known);
    if (larg) {
      const [one, other] = [larg, rarg].map((arm) => this.read({ SelectStmt: arm }, outer, ctes));
      this.#below(body, { relations: [], equalities: [], outer, ctes });
      // Which column meets which is not followed: of two queries in one, nothing is concluded.
      return one === undefined && other === undefined ? undefined : false;
    }
    if (type === 'InsertStmt') return this.#insert(body, outer, ctes);
    const level = this.#level(body, outer, ctes);
    for (const { table, alias, scoped, bound } of level.relations)
      if (table && !scoped) this.faults.push(`${table} ${alias} is not held to the space`);
      else if (table && !bound) this.joined.push({ table, alias });
    if (type === 'UpdateStmt' && level.relations[0]!.table) this.#keepsGroup(body.targetList, level);
    this.#below(body, level);
    return this.#yields(type === 'SelectStmt' ? body.targetList : body.returningClause?.exprs, level);
  }

  /** The CTEs that a query knows. */
  #readCtes(withClause: Node, outer: Level | undefined, known: Level['ctes']): Map<string, boolean | undefined> {
    const ctes = new Map(known);
    for (const { CommonTableExpr: cte } of withClause?.ctes ?? [])
      ctes.set(cte.ctename, this.read(cte.ctequery, outer, ctes));
    return ctes;
  }

  /** The relations at the level of a query, and which of them are restricted to the space. */
  #level(
    { relation, fromClause, usingClause, whereClause }: Node,
    outer: Level | undefined,
    ctes: Level['ctes'],
  ): Level {
    const level: Level = { relations: [], equalities: [], outer, ctes };
    if (relation) level.relations.push(this.#table(relation, new Map()));
    for (const item of fromClause ?? usingClause ?? []) level.relations.push(...this.#from(item, level));
    this.#conjuncts(whereClause, level.relations, level);
    this.#solve(level);
    return level;
  }

  /** Rows come in with the space's id: named as a column, and given by each source of rows. */
  #insert(body: Node, outer: Level | undefined, ctes: Level['ctes']): boolean | undefined {
    const target = this.#table(body.relation, new Map());
    const level: Level = { relations: [target], equalities: [], outer, ctes };
    const place = (body.cols ?? []).findIndex(({ ResTarget: column }: Node) => column.name === 'group_id');
    const source = body.selectStmt?.SelectStmt;
    if (target.table) {
      if (place < 0) this.faults.push(`an insert into ${target.table} does not name group_id`);
      else if (source?.op !== 'SETOP_NONE') this.faults.push(`an insert into ${target.table} from what is not read`);
      else {
        // What is wrong in its CTEs is told below.
        const [faults, joined] = [this.faults.length, this.joined.length];
        const from = this.#level(source, outer, this.#readCtes(source.withClause, outer, ctes));
        [this.faults.length, this.joined.length] = [faults, joined];
        const rows: Node[] = source.valuesLists
          ? source.valuesLists.map(({ List: { items } }: Node) => items[place])
          : [source.targetList[place]?.ResTarget.val];
        for (const value of rows)
          if (!this.#isSpace(value, from)) this.faults.push(`an insert into ${target.table} of another group_id`);
      }
      const conflict = body.onConflictClause;
      if (conflict?.action === 'ONCONFLICT_UPDATE') {
        const columns = (conflict.infer?.indexElems ?? []).map(({ IndexElem: element }: Node) => element.name);
        if (!columns.includes('group_id')) this.faults.push(`a row of ${target.table} in conflict may be another's`);
        this.#keepsGroup(conflict.targetList, level);
      }
      target.scoped = true;
    }
    if (body.selectStmt) this.read(body.selectStmt, outer, ctes);
    this.#below({ ...body, selectStmt: undefined }, level);
    return this.#yields(body.returningClause?.exprs, level);
  }

  #keepsGroup(targets: Node[] = [], level: Level): void {
    for (const { ResTarget: target } of targets)
      if (target.name === 'group_id' && !this.#isSpace(target.val, level)) this.faults.push('a row changes its space');
  }

  #table({ relname, alias }: Node, ctes: Level['ctes']): Relation {
    const name: string = alias?.aliasname ?? relname;
    if (ctes.has(relname)) {
      const scoped = ctes.get(relname);
      return { alias: name, hasGroup: scoped !== undefined, scoped: scoped === true };
    }
    const tenant = this.#run.catalogue.tables.has(relname);
    return { alias: name, hasGroup: tenant, scoped: false, ...(tenant && { table: relname }) };
  }

  /** The relations of an item of FROM; what its joins compare goes to the level. */
  #from(item: Node, level: Level): Relation[] {
    if (item.RangeVar) return [this.#table(item.RangeVar, item.RangeVar.schemaname ? new Map() : level.ctes)];
    if (item.RangeSubselect) {
      const { subquery, lateral = false, alias } = item.RangeSubselect;
      if (!alias?.colnames)
        return [
          { alias: alias?.aliasname ?? '', query: { select: subquery, lateral }, hasGroup: false, scoped: false },
        ];
    }
    if (!item.JoinExpr) {
      const named = item.RangeFunction ?? item.RangeSubselect;
      if (!named) this.faults.push(`${Object.keys(item)[0]} is not read`);
      const { aliasname = '', colnames = [] } = named?.alias ?? {};
      return [{ alias: aliasname, hasGroup: colnames.some(isGroup), scoped: false }];
    }
    const { larg, rarg, jointype, quals } = item.JoinExpr;
    const [left, right] = [this.#from(larg, level), this.#from(rarg, level)];
    // The condition of an outer join does not restrict the rows that it keeps without a match.
    const kept = { JOIN_INNER: [...left, ...right], JOIN_LEFT: right, JOIN_RIGHT: left }[jointype as string] ?? [];
    this.#conjuncts(quals, kept, level);
    return [...left, ...right];
  }

  #conjuncts(node: Node, holdsFor: readonly Relation[], level: Level): void {
    if (node?.BoolExpr?.boolop === 'AND_EXPR')
      for (const part of node.BoolExpr.args) this.#conjuncts(part, holdsFor, level);
    const { kind, name, lexpr, rexpr } = node?.A_Expr ?? {};
    if (kind === 'AEXPR_OP' && nameOf(name.at(-1)) === '=') level.equalities.push({ sides: [lexpr, rexpr], holdsFor });
  }

  /** Holds one relation after the other to the space, until nothing more follows. */
  #solve(level: Level): void {
    for (let moved = true; moved; ) {
      moved = false;
      for (const relation of level.relations) {
        if (!relation.query || relation.scoped || !mayYieldGroup(relation.query.select)) continue;
        // Only what it yields is wanted here: what is wrong in it is told once, when all its siblings are known.
        const { select, lateral } = relation.query;
        const [faults, joined] = [this.faults.length, this.joined.length];
        const yields = this.read(select, lateral ? level : level.outer, level.ctes);
        [this.faults.length, this.joined.length] = [faults, joined];
        relation.hasGroup = yields !== undefined;
        if (yields) moved = relation.scoped = true;
      }
      for (const { sides, holdsFor } of level.equalities)
        for (const [own, other] of [sides, sides.toReversed()]) {
          const relation = this.#groupOf(own, level);
          if (!relation || !holdsFor.includes(relation)) continue;
          if (this.#isBound(other)) relation.bound = true;
          if (!relation.scoped && this.#isSpace(other, level)) moved = relation.scoped = true;
        }
    }
  }

  /** The relation whose group_id an expression is. */
  #groupOf(node: Node, level: Level | undefined): Relation | undefined {
    const fields: Node[] = node?.ColumnRef?.fields ?? [];
    if (nameOf(fields.at(-1)) !== 'group_id') return;
    const alias = fields.length > 1 ? nameOf(fields.at(-2)) : undefined;
    for (let at = level; at; at = at.outer) {
      const found = at.relations.filter((one) => (alias === undefined ? one.hasGroup : one.alias === alias));
      if (found.length > 0) return found.length === 1 ? found[0] : undefined;
    }
    return;
  }

  /** Whether an expression can only be the space's id: the bound one, or that of what is held to it. */
  #isSpace(node: Node, level: Level): boolean {
    if (node?.TypeCast) return this.#isSpace(node.TypeCast.arg, level);
    return this.#isBound(node) || (this.#groupOf(node, level)?.scoped ?? false);
  }

  #isBound(node: Node): boolean {
    if (node?.TypeCast) return this.#isBound(node.TypeCast.arg);
    return node?.ParamRef ? this.#run.bindings[node.ParamRef.number - 1] === this.#run.space : false;
  }

  #yields(targets: Node[] = [], level: Level): boolean | undefined {
    const given = targets.flatMap((target: Node): boolean[] => {
      const { val } = target.ResTarget;
      const fields: Node[] = val.ColumnRef?.fields ?? [];
      if (fields.at(-1)?.A_Star) {
        const alias = nameOf(fields.at(-2));
        const all = level.relations.filter((one) => one.hasGroup && (alias === undefined || one.alias === alias));
        return all.map(({ scoped }) => scoped);
      }
      return nameColumn(target) === 'group_id' ? [this.#isSpace(val, level)] : [];
    });
    return given.length === 0 ? undefined : given.every(Boolean);
  }

  /** Subqueries and calls below a node of a level. */
  #below(node: Node, level: Level): void {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries<Node>(node)) {
      if (key === 'RangeSubselect') {
        this.read(value.subquery, value.lateral ? level : level.outer, level.ctes);
      } else if (key === 'SubLink') {
        this.read(value.subselect, level, level.ctes);
        this.#below(value.testexpr, level);
      } else {
        const called = key === 'FuncCall' ? nameOf(value.funcname.at(-1)) : undefined;
        if (called && this.#run.catalogue.functions.has(called) && !this.#isSpace(value.args?.[0], level))
          this.faults.push(`${called} is called for another space`);
        this.#below(value, level);
      }
    }
  }
}
