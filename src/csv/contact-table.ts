// The columns of contacts in CSV, for exports and imports, and the CSV text of contacts.
import { markFormulaText } from './formula.ts';
import { formatCsvTable, type TableOptions } from './table.ts';

export type ContactFields = Record<string, unknown>;

/** A format of an export. Only the first page has a head. */
export interface ExportFormat {
  type: string;
  write(contacts: ContactFields[], first: boolean): string;
}

/** The columns of a CSV, each with its path in a contact. Lists are JSON, except tags, which are names. An import reads the same columns. */
export const contactTableColumns: Record<string, string[]> = Object.fromEntries(
  [
    ['id', 'external_id', 'gender', 'firstname', 'surname', 'married_name', 'birthdate', 'age_category', 'nationality'],
    ['birthcity', 'birthdept', 'birthcountry', 'mail', 'phone', 'phone_invalid', 'mobile', 'mobile_invalid'],
    ['black_list', 'user_contact_id'],
  ]
    .flat()
    .map((name) => [name, [name]]),
);
for (const part of [
  ...['housenumber', 'street', 'addition', 'building', 'floor', 'door', 'infos', 'postalcode', 'city', 'citycode'],
  ...['county', 'state', 'country', 'latitude', 'longitude', 'location', 'score', 'pollingstation', 'invalid'],
])
  contactTableColumns[`address_${part}`] = ['address', part];
for (const name of ['tags', 'action_ids', 'formdatas', 'custom_fields', 'CreatedAt', 'UpdatedAt', 'lastchange'])
  contactTableColumns[name] = [name];

const readPath = (contact: ContactFields, path: string[]): unknown => {
  // biome-ignore lint/suspicious/noExplicitAny: a path into JSON of any shape
  const value = path.reduce((at: any, step) => at?.[step], contact);
  if (path[0] === 'tags') return (value as { name: string }[]).map(({ name }) => name).join('; ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
};
const formatCell = (value: unknown): unknown => (typeof value === 'string' ? markFormulaText(value) : value);

/** Creates the CSV format of contacts. */
export const createCsvFormat = ({ names = Object.keys(contactTableColumns), excel }: TableOptions): ExportFormat => {
  const paths = names.map((name) => contactTableColumns[name]!);
  return {
    type: 'text/csv; charset=utf-8; header=present',
    write: (contacts, first) =>
      formatCsvTable(
        contacts.map((contact) => paths.map((path) => formatCell(readPath(contact, path)))),
        names,
        first,
        excel,
      ),
  };
};
