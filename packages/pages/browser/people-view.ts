// How the list of people is shown: its columns, its order and the text that it is searched by, and how a link holds them.

interface Column {
  /** Its name in files. */
  inFile: string;
  /** The fields of a contact that it shows. */
  fields: string;
  /** The order of found contacts that its head sorts by. */
  order?: string;
}

/** The columns beside the name, by their paths in the graph. */
export const columns = {
  'address.city': { inFile: 'address_city', fields: 'address { city }', order: 'CITY' },
  'address.postalCode': { inFile: 'address_postalcode', fields: 'address { postalCode }' },
  email: { inFile: 'mail', fields: 'email', order: 'EMAIL' },
  phone: { inFile: 'phone', fields: 'phone' },
  mobile: { inFile: 'mobile', fields: 'mobile' },
  birthDate: { inFile: 'birthdate', fields: 'birthDate', order: 'BIRTH_DATE' },
  gender: { inFile: 'gender', fields: 'gender', order: 'GENDER' },
  marriedName: { inFile: 'married_name', fields: 'marriedName', order: 'MARRIED_NAME' },
  tags: { inFile: 'tags', fields: 'tags { name }' },
  optedOut: { inFile: 'black_list', fields: 'optedOut' },
  lastChangedAt: { inFile: 'lastchange', fields: 'lastChangedAt', order: 'LAST_CHANGED_AT' },
  createdAt: { inFile: 'CreatedAt', fields: 'createdAt' },
} satisfies Record<string, Column>;
export type ColumnName = keyof typeof columns;
export const columnNames = Object.keys(columns) as ColumnName[];

/** The name is always shown. */
export type HeadName = ColumnName | 'name';

/** The order that a head sorts by; undefined for one that cannot sort. */
export const getOrder = (head: HeadName): string | undefined =>
  head === 'name' ? 'LAST_NAME' : (columns[head] as Column).order;

export interface View {
  columns: readonly ColumnName[];
  /** The head that the list is sorted by. Without one the best matches of the text come first. */
  sort: { by: HeadName; isDescending: boolean } | undefined;
  text: string;
}

export const usualView: View = { columns: ['address.city', 'email', 'tags'], sort: undefined, text: '' };

/** The columns of a file that shows what the list shows. */
export const listFileColumns = ({ columns: shown }: View): string[] => [
  'firstname',
  'surname',
  ...shown.map((name) => columns[name].inFile),
];

/** The order after a click on a head: ascending, descending, and then none. */
export const sortBy = (by: HeadName, sort: View['sort']): View['sort'] => {
  if (sort?.by !== by) return { by, isDescending: false };
  return sort.isDescending ? undefined : { by, isDescending: true };
};

/** Reads the view of a link, and what in it is no view. */
export const readView = (parameters: URLSearchParams): { view: View; unknown: string[] } => {
  const named = parameters.get('columns')?.split(',').filter(Boolean) ?? usualView.columns;
  const [, minus, by = ''] = /^(-?)(.*)$/s.exec(parameters.get('order') ?? '')!;
  const sorts = (['name', ...columnNames] as HeadName[]).find((one) => one === by && getOrder(one));
  const view: View = {
    // A column that is named twice is one column.
    columns: columnNames.filter((one) => named.includes(one)),
    sort: sorts && { by: sorts, isDescending: minus === '-' },
    text: parameters.get('text') ?? '',
  };
  const unknown = named.filter((one) => !(columnNames as string[]).includes(one));
  return { view, unknown: by && !sorts ? [...unknown, by] : unknown };
};

/** Adds a view to the parameters of a link, as far as it is not the usual one. */
export const writeViewParameters = ({ columns: shown, sort, text }: View, parameters: URLSearchParams): void => {
  if (String(shown) !== String(usualView.columns)) parameters.set('columns', String(shown));
  if (sort) parameters.set('order', `${sort.isDescending ? '-' : ''}${sort.by}`);
  if (text.trim()) parameters.set('text', text.trim());
};
