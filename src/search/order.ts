// The order of a search as SQL: by the sort attribute with empty values last in both directions, then by id.
import type { Search, SortName } from './check.ts';
import type { Where } from './compile.ts';

/** The column of the search row, and the tests that part it: each part is walked in turn along its own stretch of the index. */
interface Sort {
  column: string;
  /** The parts that have values, ascending, and the one without. */
  filled: readonly string[];
  empty?: string;
}

const text = (column: string): Sort => ({ column, filled: [`s.${column} > ''`], empty: `s.${column} = ''` });

const sorts: Record<SortName, Sort> = {
  surname: text('surname'),
  firstname: text('firstname'),
  married_name: text('married_name'),
  mail: text('mail'),
  city: text('city'),
  birthdate: { column: 'birthdate', filled: [`s.birthdate < 'infinity'`], empty: `s.birthdate = 'infinity'` },
  // Of three values each is a part of its own: to sort half a space by id within one value is what an index is for.
  gender: {
    column: 'contact_id',
    filled: [`s.gender = 'F'`, `s.gender = 'M'`, `s.gender = 'O'`],
    empty: `s.gender = ''`,
  },
  lastchange: { column: 'lastchange', filled: ['true'] },
};

const byId: Sort = { column: 'contact_id', filled: ['true'] };

/**
 * The ids of a page, in order. Its parts are appended one after the other, so that a page which the first fills never
 * touches the others; an ORDER BY over all of them could not use the index.
 */
export const pageSql = ({ sort, ascending }: Pick<Search, 'sort' | 'ascending'>, { sql }: Where): string => {
  const { column, filled, empty } = sort ? sorts[sort] : byId;
  const direction = ascending || column === 'contact_id' ? 'asc' : 'desc';
  const parts = [...(ascending ? filled : filled.toReversed()), ...(empty ? [empty] : [])];
  const tie = column === 'contact_id' ? '' : ', s.contact_id';
  const arms = parts.map((part) => {
    const order = part === empty ? 's.contact_id' : `s.${column} ${direction}${tie}`;
    return `(select s.contact_id from contact_search s where s.group_id = :group and ${part} and ${sql} order by ${order} limit :reach)`;
  });
  return `select contact_id from (${arms.join('\nunion all\n')}) page limit :limit offset :offset`;
};

export const countSql = ({ sql }: Where): string =>
  `select count(*) as total from contact_search s where s.group_id = :group and ${sql}`;
