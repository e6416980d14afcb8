// The 25 measured searches, from one with a single match to one that no index can answer.
import {
  buildAnswerCondition,
  buildCondition,
  buildRange,
  buildSearch,
  requireAll,
  requireAny,
  type Search,
} from './body.ts';
import type { Subject } from './subject.ts';

export interface Query {
  id: string;
  title: string;
  search: Search;
}

const without = ['tag-00', 'tag-05', 'tag-11'];

export const listQueries = ({ mail, form, ref, action }: Subject): Query[] =>
  (
    [
      [
        'a rare surname, without its accent',
        buildSearch('-lastchange', [requireAll(buildCondition('surname', 'eql', 'LEGNON'))]),
      ],
      [
        'surname starts with two letters',
        buildSearch('surname', [requireAll(buildCondition('surname', 'start_with', 'Dé'))]),
      ],
      [
        'first name and city',
        buildSearch('surname', [
          requireAll(buildCondition('firstname', 'eql', 'helene'), buildCondition('address.city', 'eql', 'paris')),
        ]),
      ],
      ['mail to the letter', buildSearch('surname', [requireAll(buildCondition('mail', 'eql:strictdata', mail))])],
      [
        'mobile contains five digits',
        buildSearch('surname', [requireAll(buildCondition('mobile', 'contains', '45678'))]),
      ],
      [
        'one of the two most frequent tags',
        buildSearch('-lastchange', [requireAll(buildCondition('tags.name', 'any_of', ['tag-00', 'tag-01']))]),
      ],
      ['none of three tags', buildSearch('surname', [requireAll(buildCondition('tags.name', 'none_of', without))])],
      [
        'all of three rare tags',
        buildSearch('surname', [requireAll(buildCondition('tags.name', 'all_of', ['tag-03', 'tag-10', 'tag-20']))]),
      ],
      [
        'a rare action, and women',
        buildSearch('firstname', [
          requireAll(buildCondition('action_ids', 'eql', action(77)), buildCondition('gender', 'eql', 'F')),
        ]),
      ],
      [
        '18 to 35 years old in Lyon',
        buildSearch('birthdate', [
          requireAll(buildRange('birthdate', 'now-35y', 'now-18y'), buildCondition('address.city', 'eql', 'Lyon')),
        ]),
      ],
      [
        'a transaction of 300 € or more',
        buildSearch('surname', [requireAll(buildCondition('transactions.amount', 'gte', '300'))]),
      ],
      [
        '100 € or more in all, and an e-mail that was not opened',
        buildSearch('-lastchange', [
          requireAll(
            buildCondition('transactions.sum_amount', 'gte', '100'),
            buildCondition('emails.opened_at', 'not_ext'),
          ),
        ]),
      ],
      [
        'member in 2025, who gave 100 € or three times',
        buildSearch('surname', [
          requireAll(buildCondition('memberships.period', 'eql', '2025')),
          requireAny(
            buildCondition('donations.sum_amount', 'gte', '100'),
            buildCondition('donations.count_amount', 'gte', '3'),
          ),
        ]),
      ],
      [
        'an e-mail opened, an e-mail not clicked, without a tag',
        buildSearch('mail', [
          requireAll(
            buildCondition('emails.opened_at', 'ext'),
            buildCondition('emails.clicked_at', 'not_ext'),
            buildCondition('tags.name', 'none_of', ['tag-05']),
          ),
        ]),
      ],
      [
        'an e-mail opened within 30 days',
        buildSearch('-lastchange', [requireAll(buildCondition('emails.opened_at', 'gte', 'now-30d'))]),
      ],
      [
        'name of a campaign contains, subject of another does not',
        buildSearch('surname', [
          requireAll(
            buildCondition('emails.campaign_name', 'contains', 'climat'),
            buildCondition('emails.subject', 'not_contains', 'réunion'),
          ),
        ]),
      ],
      [
        'a sanction under way',
        buildSearch('surname', [requireAll(buildCondition('sanctions.validity', 'eql', 'ongoing'))]),
      ],
      [
        'answers under two references contain a text',
        buildSearch('surname', [
          requireAll(buildAnswerCondition('custom_fields', 'contains', form(0), [ref(0, 2), ref(0, 3)], 'bénév')),
        ]),
      ],
      [
        'answers under two references, whatever they say',
        buildSearch('-lastchange', [
          requireAll(buildAnswerCondition('form', 'eql', form(12), [ref(12, 2), ref(12, 3)])),
        ]),
      ],
      [
        'an answer equals, another form is not answered',
        buildSearch('surname', [
          requireAll(
            buildAnswerCondition('custom_fields', 'eql', form(1), [ref(1, 4)], 'Soutien'),
            buildAnswerCondition('form', 'not_ext', form(12), []),
          ),
        ]),
      ],
      [
        'out of reach: no mail, no mobile, no phone',
        buildSearch('city', [
          requireAll(
            buildCondition('mail', 'not_ext'),
            buildCondition('mobile', 'not_ext'),
            buildCondition('phone', 'not_ext'),
            buildCondition('black_list', 'eql', false),
          ),
        ]),
      ],
      [
        'five groups, each of two negations',
        buildSearch('surname', [
          requireAny(
            buildCondition('surname', 'not_eql', 'Martin'),
            buildCondition('tags.name', 'none_of', ['tag-01']),
          ),
          requireAny(
            buildCondition('address.city', 'not_start_with', 'Par'),
            buildCondition('action_ids', 'not_eql', action(0)),
          ),
          requireAny(
            buildAnswerCondition(
              'custom_fields',
              'not_contains',
              form(0),
              [2, 3, 4, 5].map((n) => ref(0, n)),
              'soutien',
            ),
            buildCondition('gender', 'not_eql', 'M'),
          ),
          requireAny(
            buildCondition('firstname', 'not_start_with', 'Ma'),
            buildCondition('emails.clicked_at', 'not_ext'),
          ),
          requireAny(
            buildAnswerCondition('form', 'not_ext', form(10), []),
            buildCondition('transactions.sum_amount', 'lte', '50'),
          ),
        ]),
      ],
      [
        'none of three tags, page 900 of 500',
        buildSearch('surname', [requireAll(buildCondition('tags.name', 'none_of', without))], { size: 500, page: 900 }),
      ],
      ['everybody, page 900 of 1000', buildSearch('surname', [], { size: 1000, page: 900 })],
      [
        'start of a mail, in an order that has all matches at its end',
        buildSearch('firstname', [
          requireAll(buildCondition('mail', 'start_with', 'zoe.'), buildCondition('firstname', 'ext')),
        ]),
      ],
    ] satisfies [string, Search][]
  ).map(([title, asked], index) => ({ id: `Q${String(index + 1).padStart(2, '0')}`, title, search: asked }));
