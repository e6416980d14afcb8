// Saved segments that generated searches name: every kind of source, negations, relative dates, and segments within segments.
import { inlineSegments, type SegmentQuery } from '../../src/search/inline-segments.ts';
import type { ParsedQuery } from '../../src/search/parse.ts';
import { parseTree } from '../../src/search/parse-tree.ts';
import type { Query } from './oracle.ts';
import { tags } from './pools.ts';

const all = (...conditions: object[]) => ({ $all: conditions.map(($condition) => ({ $condition })) });
const some = (...conditions: object[]) => ({ $at_least_one: conditions.map(($condition) => ({ $condition })) });

/** By id, as trees of the contract. */
export const segmentTrees = new Map<number, Query>(
  Object.entries({
    1: { $all: [all({ attr: 'gender', ope: 'eql', value: 'F' })] },
    2: {
      $at_least_one: [
        some({ attr: 'tags.name', ope: 'any_of', value: tags.slice(0, 3) }, { attr: 'mail', ope: 'not_ext' }),
        all({ attr: 'donations.sum_amount', ope: 'gte', value: '10' }, { attr: 'emails.opened_at', ope: 'ext' }),
      ],
    },
    3: {
      $all: [
        some({ attr: 'CreatedAt', ope: 'gte', value: 'now-1y' }, { attr: 'emails.campaign_name', ope: 'not_ext' }),
        all({ attr: 'transactions.amount', ope: 'not_eql', value: '10' }),
      ],
    },
    4: {
      $at_least_one: [all({ attr: 'segment', ope: 'any_of', value: [1, 3] }, { attr: 'form', ope: 'ext', form_id: 6 })],
    },
    5: {
      $all: [
        all({ attr: 'segment', ope: 'none_of', value: '2,4' }, { attr: 'birthdate', ope: 'ext' }),
        some({ attr: 'segment', ope: 'any_of', value: [1] }, { attr: 'black_list', ope: 'eql', value: true }),
      ],
    },
  }).map(([id, tree]) => [Number(id), tree as Query]),
);

const segments = new Map<number, SegmentQuery>(
  [...segmentTrees].map(([id, tree]) => [
    id,
    { id, name: `Segment ${id}`, version: 1, stored: tree, query: parseTree(tree, '') },
  ]),
);

/** A query with the queries of these segments in their places. */
export const expandTestSegments = (parsed: ParsedQuery): ParsedQuery => inlineSegments(parsed, segments);
