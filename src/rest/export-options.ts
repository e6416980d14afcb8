// The options of an export beside its search: for Excel in a language, and the columns. Both mean CSV.
import { findLanguage, isLanguage, type Language, languages } from '../../packages/pages/language.ts';
import { listPreferredLanguages } from '../http/negotiation.ts';
import { contactTableColumns, type TableOptions } from '../import/csv-table.ts';
import type { Fault } from '../problem.ts';

const allColumns = Object.keys(contactTableColumns);

export const exportOptionsSchema = {
  type: 'object',
  properties: {
    excel: {
      anyOf: [{ enum: languages }, { type: 'boolean' }, { type: 'null' }],
      description:
        'CSV for Excel in this language: its separator and decimal sign, heads and values in words, days and instants as dates. `true` is the language of `Accept-Language`, else English.',
    },
    columns: {
      anyOf: [
        { type: 'array', minItems: 1, maxItems: allColumns.length, uniqueItems: true, items: { enum: allColumns } },
        { type: 'null' },
      ],
      description: 'The columns of CSV, in this order; all when left out.',
    },
  },
};

const readExcel = (sent: unknown, acceptLanguage: string | null): Language | undefined | Omit<Fault, 'location'> => {
  if (sent === undefined || sent === null || sent === false) return undefined;
  if (sent === true) return findLanguage(listPreferredLanguages(acceptLanguage));
  if (typeof sent === 'string' && isLanguage(sent)) return sent;
  return { message: `must be ${languages.join(' or ')}, or true for the language of Accept-Language`, value: sent };
};

/** Reads the options. Faults have places below `location`. */
export const readExportOptions = (
  { excel: sentExcel, columns: sent }: Record<string, unknown>,
  acceptLanguage: string | null,
  location: string,
): TableOptions & { faults: Fault[] } => {
  const faults: Fault[] = [];
  const excel = readExcel(sentExcel, acceptLanguage);
  if (typeof excel === 'object') faults.push({ location: `${location}.excel`, ...excel });
  const language = typeof excel === 'string' ? excel : undefined;
  if (sent === undefined || sent === null) return { excel: language, faults };
  const place = `${location}.columns`;
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > allColumns.length) {
    const value = Array.isArray(sent) ? sent.length : sent;
    faults.push({ location: place, message: `must be a list of 1 to ${allColumns.length} columns`, value });
    return { excel: language, faults };
  }
  for (const [index, name] of sent.entries()) {
    const at = `${place}[${index}]`;
    if (!allColumns.includes(name))
      faults.push({ location: at, message: `must be one of ${allColumns.join(', ')}`, value: name });
    else if (sent.indexOf(name) !== index) faults.push({ location: at, message: 'is named twice', value: name });
  }
  return { excel: language, names: sent, faults };
};
