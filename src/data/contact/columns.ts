// The columns of contacts and of their addresses: rows, writes, comparisons, merges, undo, exports and imports derive from these two tables.

/** The values of each PostgreSQL type, as the driver returns them. */
interface SqlValues {
  text: string;
  boolean: boolean;
  smallint: number;
  integer: number;
  bigint: number;
  'double precision': number;
  /** A day: `2026-11-21`. */
  date: string;
  timestamptz: string;
}

export interface ColumnSpec {
  type: keyof SqlValues;
  /** All values that a text may have, when they are few. */
  values?: readonly string[];
  /** Null is no value; the program writes false for a boolean that is not nullable. */
  nullable: boolean;
  /** Whether users write it: then a merge fills it, an import writes it, and its undo restores it. */
  written: boolean;
  /** The field of the graph that has the column, where it is not the column's name in camelCase. */
  field?: string;
  /** The column of exported and imported files, which is its name in the REST contract; files lack a column without it. */
  file?: string;
}

const text = { type: 'text', nullable: true, written: true } as const;
const number = { type: 'double precision', nullable: true, written: true } as const;
const flag = { type: 'boolean', nullable: false, written: true } as const;
const instant = { type: 'timestamptz', nullable: false, written: false } as const;

/** Columns of `contacts`, in the order of exported files. */
export const contactTable = {
  id: { type: 'bigint', nullable: false, written: false, file: 'id' },
  group_id: { type: 'bigint', nullable: false, written: false },
  external_id: { ...text, file: 'external_id' },
  gender: { ...text, values: ['M', 'F', 'O'], file: 'gender' },
  firstname: { ...text, field: 'firstName', file: 'firstname' },
  surname: { ...text, field: 'lastName', file: 'surname' },
  married_name: { ...text, file: 'married_name' },
  birthdate: { type: 'date', nullable: true, written: true, field: 'birthDate', file: 'birthdate' },
  age_category: { type: 'smallint', nullable: true, written: true, file: 'age_category' },
  nationality: { ...text, file: 'nationality' },
  birth_city: { ...text, file: 'birthcity' },
  birth_dept: { ...text, field: 'birthDepartment', file: 'birthdept' },
  birth_country: { ...text, file: 'birthcountry' },
  mail: { ...text, field: 'email', file: 'mail' },
  phone: { ...text, file: 'phone' },
  phone_invalid: { ...flag, file: 'phone_invalid' },
  mobile: { ...text, file: 'mobile' },
  mobile_invalid: { ...flag, file: 'mobile_invalid' },
  black_list: { ...flag, field: 'optedOut', file: 'black_list' },
  user_contact_id: { type: 'bigint', nullable: true, written: true, field: 'accountId', file: 'user_contact_id' },
  user_id: { type: 'bigint', nullable: true, written: false },
  version: { type: 'integer', nullable: false, written: false },
  created_at: { ...instant, file: 'CreatedAt' },
  updated_at: { ...instant, file: 'UpdatedAt' },
  lastchange: { ...instant, field: 'lastChangedAt', file: 'lastchange' },
} as const satisfies Record<string, ColumnSpec>;

/** Columns of `addresses` beside the keys, in the order of exported files. */
export const addressTable = {
  house_number: { ...text, file: 'housenumber' },
  street: { ...text, file: 'street' },
  addition: { ...text, file: 'addition' },
  building: { ...text, file: 'building' },
  floor: { ...text, file: 'floor' },
  door: { ...text, file: 'door' },
  infos: { ...text, field: 'details', file: 'infos' },
  postal_code: { ...text, file: 'postalcode' },
  city: { ...text, file: 'city' },
  citycode: { ...text, field: 'cityCode', file: 'citycode' },
  county: { ...text, file: 'county' },
  state: { ...text, file: 'state' },
  country: { ...text, file: 'country' },
  latitude: { ...number, file: 'latitude' },
  longitude: { ...number, file: 'longitude' },
  location: { ...text, file: 'location' },
  score: { ...number, file: 'score' },
  polling_station: { ...text, file: 'pollingstation' },
  invalid: { ...text, field: 'invalidReason', file: 'invalid' },
} as const satisfies Record<string, ColumnSpec>;

type ValueOf<Spec extends ColumnSpec> =
  | (Spec extends { values: readonly (infer Value)[] } ? Value : SqlValues[Spec['type']])
  | (Spec['nullable'] extends true ? null : never);
type RowOf<Table extends Record<string, ColumnSpec>> = { -readonly [Column in keyof Table]: ValueOf<Table[Column]> };

export type ContactRow = RowOf<typeof contactTable>;
export type AddressRow = RowOf<typeof addressTable> & { id: number; contact_id: number };

type WrittenColumn<Table extends Record<string, ColumnSpec>> = {
  [Column in keyof Table]: Table[Column]['written'] extends true ? Column : never;
}[keyof Table];
export type ContactColumn = WrittenColumn<typeof contactTable>;
export type AddressColumn = WrittenColumn<typeof addressTable>;

const listColumns = <Column extends string>(
  table: Record<string, ColumnSpec>,
  wanted: (spec: ColumnSpec) => boolean,
): Column[] => Object.keys(table).filter((name): name is Column => wanted(table[name]!));

/** Columns of `contacts` that users write. */
export const contactColumnNames = listColumns<ContactColumn>(contactTable, ({ written }) => written);
export const unwrittenContactColumns: readonly string[] = listColumns(contactTable, ({ written }) => !written);
export const addressColumnNames = listColumns<AddressColumn>(addressTable, ({ written }) => written);
/** Columns of `contacts` that are false rather than null. */
export const contactFlags: readonly string[] = listColumns<ContactColumn>(
  contactTable,
  ({ type, nullable }) => type === 'boolean' && !nullable,
);

const specOf: Record<string, ColumnSpec> = { ...addressTable, ...contactTable };

export const getColumnType = (column: ContactColumn | AddressColumn): string => specOf[column]!.type;

/** The field of the graph that has a column of contacts or addresses, or a list of a contact: `firstName` has `firstname`. */
export const getFieldName = (column: string): string =>
  specOf[column]?.field ?? column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const mapFields = <Column extends string>(columns: readonly Column[]): ReadonlyMap<string, Column> =>
  new Map(columns.map((column) => [getFieldName(column), column]));
/** Columns that users write, by the field of the graph. */
export const contactColumnsByField = mapFields(contactColumnNames);
export const addressColumnsByField = mapFields(addressColumnNames);

/** A column of exported and imported files. */
export interface FileColumn {
  name: string;
  /** Its path in the input of a contact in the graph. */
  field: string;
  /** Its path in a contact of the REST contract. */
  path: string[];
  /** How an import reads a cell. Ids count only in files of the same space; nothing is read of what the program writes itself. */
  reads: 'text' | 'number' | 'flag' | 'day' | 'id' | 'nothing';
}

const readings: Record<ColumnSpec['type'], FileColumn['reads']> = {
  text: 'text',
  boolean: 'flag',
  smallint: 'number',
  integer: 'number',
  bigint: 'id',
  'double precision': 'number',
  date: 'day',
  timestamptz: 'nothing',
};

/** Columns of contacts and addresses in files, in their order. Numbers of an address are read as text, which the input turns into numbers. */
export const fileColumns: readonly FileColumn[] = [
  ...Object.entries<ColumnSpec>(contactTable).flatMap(([column, { file, type }]): FileColumn[] =>
    file ? [{ name: file, field: getFieldName(column), path: [file], reads: readings[type] }] : [],
  ),
  ...Object.entries<ColumnSpec>(addressTable).flatMap(([column, { file }]): FileColumn[] => {
    const field = `address.${getFieldName(column)}`;
    return file ? [{ name: `address_${file}`, field, path: ['address', file], reads: 'text' }] : [];
  }),
];
