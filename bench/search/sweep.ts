// Runs every cell of the language alone, to find slow conditions.
import { type AttributeName, attributes, getAttribute } from '../../src/search/attributes.ts';
import { type Operator, operators } from '../../src/search/operators.ts';
import {
  buildAnswerCondition,
  buildCondition,
  buildRange,
  buildSearch,
  type Condition,
  requireAll,
  type Search,
} from './body.ts';
import { measureTimes, type Timed } from './measure.ts';
import { countOverHttp, prepareHttpRequests } from './over-http.ts';
import { trackPhase } from './progress.ts';
import type { Ask } from './service.ts';
import type { Subject } from './subject.ts';

export interface Cell {
  name: string;
  matches: number;
  /** In milliseconds: medians. */
  page: number;
  count: number;
}

/** Values from the data: frequent ones if there are any, since they are the slowest to count. */
const texts: Partial<Record<AttributeName, string>> = {
  firstname: 'helene',
  surname: 'martin',
  married_name: 'dubois',
  birthcity: 'Paris',
  birthcountry: 'FR',
  nationality: 'FR',
  external_id: 'X12345',
  'tags.name': 'tag-05',
  'address.city': 'Paris',
  'address.postalcode': '75',
  'address.street': 'rue',
  'address.country': 'FR',
  'address.housenumber': '12',
  'address.building': 'A',
  'address.floor': '3',
  'address.door': '12',
  'address.addition': 'Appt 7',
  'address.pollingstation': '0012',
  'address.invalid': 'npai',
  'transactions.code_campaign': 'CAMP-5',
  'emails.type': 'automatic',
  'emails.subject': 'réunion',
  'emails.clicked_urls': 'https://exemple.org/don',
  'sanctions.status': 'warning',
};

const byKind = {
  text: 'climat',
  phone: '45678',
  instant: 'now-90d',
  day: '1980-05-01',
  cents: '100',
  whole: '2',
  decimal: '48.8',
  id: '1',
  flag: true,
  gender: 'F',
  ageCategory: '2',
  year: '2025',
  validity: 'ongoing',
  answer: 'soutien',
  circle: { km: 20, point: { latitude: 45.76, longitude: 4.84 } },
  area: {
    polygon: [
      [
        [2.2, 48.8],
        [2.5, 48.8],
        [2.5, 48.95],
        [2.2, 48.95],
        [2.2, 48.8],
      ],
    ],
  },
} as const;
const spans = {
  instant: ['now-180d', 'now-90d'],
  day: ['1980-01-01', '1990-01-01'],
  cents: ['50', '100'],
  whole: ['2', '3'],
  decimal: ['48', '49'],
  year: ['2023', '2024'],
  answer: ['100', '200'],
} as const;

export const buildCellCondition = (name: AttributeName, operator: Operator, subject: Subject): Condition => {
  const { mail, form, ref, action, campaign } = subject;
  const { kind, source } = getAttribute(name);
  const ids: Partial<Record<AttributeName, number>> = { action_ids: action(0), 'emails.campaign_id': campaign(7) };
  const value = operator.endsWith('strictdata')
    ? mail
    : (ids[name] ?? texts[name] ?? byKind[kind as keyof typeof byKind]);
  const { takes } = operators[operator];
  if (source.of === 'answers') {
    const [from, to] = spans.answer;
    const said = operator === 'lte' || operator === 'gte' ? from : value;
    const place = source.custom ? 0 : 12;
    const asked = buildAnswerCondition(name as 'form' | 'custom_fields', operator, form(place), [
      ref(place, operator === 'contains' ? 2 : 0),
    ]);
    if (takes === 'range') return { ...asked, from, to };
    return takes === 'nothing' ? asked : { ...asked, value: said as string };
  }
  // The first form after the custom ones is on consent.
  if (source.of === 'consents')
    return { ...buildCellCondition('opted_out_at', operator, subject), attr: name, form_id: form(10) };
  if (operator === 'period') return buildCondition(name, operator, '05-01/06-30');
  if (takes === 'range') {
    const [from, to] = spans[kind as keyof typeof spans];
    return buildRange(name, from, to);
  }
  if (takes === 'period') return buildCondition(name, operator, 'last_90_days');
  if (takes === 'list')
    return buildCondition(name, operator, name === 'tags.name' ? ['tag-00', 'tag-05'] : [value as string]);
  return buildCondition(name, operator, takes === 'nothing' ? undefined : value);
};

const searchOf = (asked: Condition): Search => buildSearch('surname', [requireAll(asked)]);

/** Runs every cell once cold and `repeat` times warm: a page of 50 by surname, and the count. */
export const measureCells = async (ask: Ask, subject: Subject, repeat: number): Promise<Cell[]> => {
  // A segment takes as long as its query, a condition on records as what it asks of each.
  const cells = (Object.keys(attributes) as AttributeName[])
    .filter((name) => !['segment', 'records'].includes(getAttribute(name).source.of))
    .flatMap((name) => getAttribute(name).operators.map((operator) => [name, operator] as const));
  const swept: Cell[] = [];
  await trackPhase('every cell', cells.length, [], async (done) => {
    for (const [name, operator] of cells) {
      const works = prepareHttpRequests(ask, searchOf(buildCellCondition(name, operator, subject)));
      const [page, count] = (await measureTimes(repeat, works)) as [Timed, Timed];
      swept.push({
        name: `${name} ${operator}`,
        matches: countOverHttp(count.result),
        page: page.times.median,
        count: count.times.median,
      });
      done();
    }
  });
  return swept;
};
