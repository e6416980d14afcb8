// Creates a schema with the sources of the tables: the calendar, the dictionaries and the sizes of the spaces.
import type { Job } from './lanes.ts';
import type { PlannedSpace } from './parameters.ts';
import { cities, firstNames, foldText, surnames, words } from './words.ts';

/** The day of the build, so that `now-30d` means the same whenever the data was made. */
const calendar = (today: string): string => `
  create schema if not exists bench;
  create or replace function bench.today() returns timestamptz language sql immutable as $$ select timestamptz '${today}T00:00:00Z' $$;
  create or replace function bench.sent(campaign integer) returns timestamptz language sql immutable as
    $$ select bench.today() - (300 - campaign) * interval '87 hours' $$;`;

const dictionary = (table: string, columns: Record<string, string[]>): Job => {
  const names = Object.keys(columns);
  return {
    name: table,
    sql: `create unlogged table bench.${table} as
      select place::int - 1 as k, ${names.join(', ')} from rows from (${names.map((_, index) => `unnest($${index + 1}::text[])`).join(', ')})
      with ordinality as word (${names.join(', ')}, place)`,
    values: Object.values(columns),
  };
};

const postalCodes = cities.map((_, index) => String(1000 + ((index * 97) % 95_000)).padStart(5, '0'));

export const planFoundationJobs = (today: string, spaces: PlannedSpace[]): Job[] => [
  { name: 'calendar', sql: calendar(today) },
  dictionary('first_names', { name: firstNames, plain: firstNames.map(foldText) }),
  dictionary('surnames', { name: surnames, plain: surnames.map((name) => foldText(name).replaceAll(' ', '')) }),
  dictionary('cities', { name: cities, postal_code: postalCodes }),
  dictionary('words', { word: words }),
  {
    name: 'sizes',
    sql: 'create table bench.sizes as select space, size from unnest($1::bigint[], $2::int[]) s (space, size)',
    values: [spaces.map(({ id }) => id), spaces.map(({ contacts }) => contacts)],
  },
  { name: 'spaces', sql: 'create view bench.spaces as select space from bench.sizes' },
];

/** Drops the sources after the tables are loaded. */
export const clearFoundation = `
  drop table if exists bench.people, bench.first_names, bench.surnames, bench.cities, bench.words;
  drop view if exists bench.spaces;`;
