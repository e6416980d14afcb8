// Reads a folder of CSV files, with the contract's names as columns: contacts, forms, tags and notes.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CellWriter, findColumnWriter, knownColumns } from '../import/columns.ts';
import type { DayOrder } from '../import/days.ts';
import type { EncodingName } from '../import/encoding.ts';
import { checkKnownColumns, createRowReader } from '../import/row-reader.ts';
import {
  createProgress,
  type FileOptions,
  type RawRow,
  readFileEncoding,
  readFileRows,
  wholeRow,
} from '../import/rows.ts';
import type { Fault } from '../problem.ts';
import { getItems, readId, readText } from './read-value.ts';
import type { ContactPage, ListName, Source, SourceRecord } from './source.ts';

interface FolderOptions {
  page: number;
  encoding: EncodingName;
  days: DayOrder;
  /** The meaning of columns of contacts.csv. */
  map?: Record<string, string> | undefined;
}

const columnsOf: Record<string, { required: string[]; all: string[] }> = {
  forms: {
    required: ['id', 'kind', 'label', 'type'],
    all: ['id', 'kind', 'label', 'type', 'refvalue_id', 'refvalue_label', 'refvalue_value'],
  },
  tags: { required: ['name'], all: ['name', 'color', 'contact_id'] },
  notes: {
    required: ['id', 'contact_id'],
    all: [
      ...['id', 'contact_id', 'data', 'content', 'pinned', 'created_at', 'updated_at', 'user_id', 'group_id'],
      // An export writes them.
      ...['contact_external_id', 'contact_mail'],
    ],
  },
};
/** Columns that an import of one file ignores. Here they are values of the source. */
const timeColumns = ['CreatedAt', 'UpdatedAt', 'lastchange'];
const answerColumn = /^form:([^:]+):(.+)$/s;

type Grouped = Map<number, SourceRecord[]>;

export const createFolderSource = (folder: string, options: FolderOptions, note: (text: string) => void): Source => {
  const name = `folder:${resolve(folder)}`;
  const progress = createProgress(note);
  const knownIds = new Set<number>();
  /** A row whose id cannot be read may be of any contact. */
  let knowsAllIds = true;
  let listedForms: SourceRecord[] = [];

  /** The path of a file of the folder, compressed or not. */
  const findFile = (file: string): string | undefined =>
    [`${file}.csv`, `${file}.csv.gz`].map((one) => join(folder, one)).find((path) => existsSync(path));

  async function* readRows(name: string): AsyncGenerator<RawRow> {
    const file = findFile(name)!;
    const known = columnsOf[name];
    const encoded = await readFileEncoding(file, options.encoding);
    const how: FileOptions = { format: 'csv', ...encoded, ...(!known && { map: options.map }) };
    let isChecked = false;
    for await (const row of readFileRows(file, how, progress)) {
      if (known && !isChecked) checkColumns(file, Object.keys(row.fields), known);
      isChecked = true;
      yield row;
    }
  }

  /** The reader of contacts from the columns of the file. */
  const createReader = (columns: string[]): ((row: RawRow, faults: Fault[]) => SourceRecord) => {
    const { map, days } = options;
    const isKnown = (column: string): boolean => knownColumns.includes(column) || answerColumn.test(column);
    const file = findFile('contacts')!;
    const findName = (column: string): string | undefined => (isKnown(column) ? column : undefined);
    checkKnownColumns(columns, { map } as FileOptions, { noun: `contact in ${file}`, findName });
    const nameOf = (column: string): string => (map ? (map[column] ?? '-') : column);
    if (!columns.some((column) => nameOf(column) === 'id')) throw new Error(`${file} has no column id`);
    const writers = columns.map((column): [string, CellWriter] => [column, findWriter(nameOf(column), days)]);
    const readRow = createRowReader(writers);
    const hasFlag = columns.some((column) => nameOf(column) === 'black_list');
    return ({ fields, line }, faults) => {
      const remarks: Fault[] = [];
      const record = readRow(fields, { faults, remarks, counts: [] });
      for (const { location, message } of remarks) progress.note(`contacts.csv, line ${line}: ${location} ${message}`);
      return { ...(hasFlag && { black_list: false }), ...record };
    };
  };

  const findWriter = (name: string, days: DayOrder): CellWriter => {
    const [, kind, label] = answerColumn.exec(name) ?? [];
    if (kind !== undefined) return createAnswerWriter(kind, label!);
    if (timeColumns.includes(name))
      return (record, text) => {
        record[name] = text.trim();
        return name;
      };
    return findColumnWriter(name, { days, ids: true, keepPlaceholders: true });
  };

  /** Writes the answer to a form of forms.csv, named by one of its values or labels; free text where the form has only one option. */
  const createAnswerWriter = (kind: string, label: string): CellWriter => {
    const form = listedForms.find((one) => one.kind === kind && one.label === label);
    if (!form) throw new Error(`The column form:${kind}:${label} names a form that forms.csv does not have`);
    const options = getItems(form.refvalues);
    const isFree = ['text', 'numeric', 'date'].includes(String(form.type));
    return (record, text) => {
      const said = text.trim();
      const option = isFree ? options[0] : options.find(({ value, label: name }) => [value, name].includes(said));
      if (!option) throw new Error(`must be one of ${options.map((one) => one.value || one.label).join(', ')}`);
      const list = kind === 'custom_fields' ? 'custom_fields' : 'formdatas';
      const before = (record[list] as unknown[] | undefined) ?? [];
      record[list] = [...before, { form_id: form.id, form_ref_id: option.id, data: isFree ? said : option.value }];
      return `${list}[${before.length}]`;
    };
  };

  /** Adds the notes and the tags of other files. Without a file of notes, those here stay. */
  const complete = (
    record: SourceRecord,
    id: number | undefined,
    { notes, tags }: { notes: Grouped | undefined; tags: { colors: Map<string, string>; links: Grouped } },
  ): SourceRecord => {
    const named = [
      ...(Array.isArray(record.tags) ? record.tags : []),
      ...((id !== undefined && tags.links.get(id)) || []).map(({ name }) => name),
    ];
    return {
      ...record,
      tags: [...new Set(named as string[])].map((name) => ({ name, color: tags.colors.get(name) })),
      notes: notes && id !== undefined ? (notes.get(id) ?? []) : undefined,
    };
  };

  const readTags = async (): Promise<{ colors: Map<string, string>; links: Grouped }> => {
    const colors = new Map<string, string>();
    const links: Grouped = new Map();
    if (!findFile('tags')) return { colors, links };
    for await (const { fields } of readRows('tags')) {
      const [name, color, contact] = [readText(fields.name), readText(fields.color), readId(fields.contact_id)];
      if (name === undefined) continue;
      if (color !== undefined) colors.set(name, color);
      if (contact !== undefined) links.set(contact, [...(links.get(contact) ?? []), { name }]);
    }
    return { colors, links };
  };

  const readNotes = async (): Promise<Grouped | undefined> => {
    if (!findFile('notes')) return undefined;
    const groups: Grouped = new Map();
    for await (const { fields, line } of readRows('notes')) {
      const contact = readId(fields.contact_id);
      if (contact === undefined) {
        progress.note(`notes.csv, line ${line}: contact_id is no id; the line is skipped`);
        continue;
      }
      const { content, data, ...rest } = fields;
      const group = groups.get(contact) ?? [];
      groups.set(contact, group);
      group.push({ ...rest, data: readText(data, Number.MAX_SAFE_INTEGER) ? data : content });
    }
    return groups;
  };

  if (!findFile('contacts'))
    throw new Error(
      `${folder} has no contacts.csv or contacts.csv.gz. It may also have forms.csv, tags.csv and notes.csv`,
    );
  return {
    name,
    completeNotes: true,
    fingerprint: { name, ...options },
    async readList(name: ListName): Promise<SourceRecord[] | undefined> {
      if (name !== 'forms') return [];
      if (!findFile('forms')) return undefined;
      const forms = new Map<string, SourceRecord & { refvalues: SourceRecord[] }>();
      for await (const { fields } of readRows('forms')) {
        const { id, kind, label, type, refvalue_id, refvalue_label, refvalue_value } = fields;
        const key = String(id);
        const form = forms.get(key) ?? { id, kind, label, type, refvalues: [] };
        forms.set(key, form);
        if (readText(refvalue_id))
          form.refvalues.push({ id: refvalue_id, label: refvalue_label, value: refvalue_value });
      }
      listedForms = [...forms.values()];
      return listedForms;
    },
    async findContacts(ids: readonly number[]): Promise<Set<number>> {
      return new Set(ids.filter((id) => !knowsAllIds || knownIds.has(id)));
    },
    async *readContacts(done: ReadonlySet<number>): AsyncIterable<ContactPage> {
      const [notes, tags] = [await readNotes(), await readTags()];
      const { page: size } = options;
      let read: ((row: RawRow, faults: Fault[]) => SourceRecord) | undefined;
      let page = createPage(1);
      let rows = 0;
      for await (const row of readRows('contacts')) {
        read ??= createReader(Object.keys(row.fields));
        const faults: Fault[] = row.fault ? [{ location: wholeRow, message: row.fault }] : [];
        const record = read(row, faults);
        const id = readId(record.id);
        if (id === undefined) knowsAllIds = false;
        else knownIds.add(id);
        if (faults.length > 0) page.unreadable.push({ record: { ...row.fields, line: row.line }, faults });
        else page.contacts.push(complete(record, id, { notes, tags }));
        rows++;
        if (rows % size !== 0) continue;
        if (!done.has(page.firstRow)) yield page;
        page = createPage(rows + 1);
      }
      if (rows % size !== 0 && !done.has(page.firstRow)) yield page;
    },
  };
};

const createPage = (firstRow: number) => ({
  firstRow,
  contacts: [] as SourceRecord[],
  unreadable: [] as { record: unknown; faults: Fault[] }[],
});

const checkColumns = (
  file: string,
  columns: string[],
  { required, all }: { required: string[]; all: string[] },
): void => {
  const missing = required.filter((column) => !columns.includes(column));
  if (missing.length > 0) throw new Error(`${file} lacks the column ${missing.join(', ')}`);
  const unknown = columns.filter((column) => !all.includes(column));
  if (unknown.length > 0)
    throw new Error(`${file} has unknown columns: ${unknown.join(', ')}. It may have ${all.join(', ')}`);
};
