// The 25 measured searches, from one with a single match to one that no index can answer.
import { all, answered, condition, either, range, type Search, search } from './body.ts';
import type { Subject } from './subject.ts';

export interface Query {
  id: string;
  title: string;
  search: Search;
}

const without = ['tag-00', 'tag-05', 'tag-11'];

export const queriesOf = ({ mail, form, ref, action }: Subject): Query[] =>
  (
    [
      ['a rare surname, without its accent', search('-lastchange', [all(condition('surname', 'eql', 'LEGNON'))])],
      ['surname starts with two letters', search('surname', [all(condition('surname', 'start_with', 'Dé'))])],
      [
        'first name and city',
        search('surname', [all(condition('firstname', 'eql', 'helene'), condition('address.city', 'eql', 'paris'))]),
      ],
      ['mail to the letter', search('surname', [all(condition('mail', 'eql:strictdata', mail))])],
      ['mobile contains five digits', search('surname', [all(condition('mobile', 'contains', '45678'))])],
      [
        'one of the two most frequent tags',
        search('-lastchange', [all(condition('tags.name', 'any_of', ['tag-00', 'tag-01']))]),
      ],
      ['none of three tags', search('surname', [all(condition('tags.name', 'none_of', without))])],
      [
        'all of three rare tags',
        search('surname', [all(condition('tags.name', 'all_of', ['tag-03', 'tag-10', 'tag-20']))]),
      ],
      [
        'a rare action, and women',
        search('firstname', [all(condition('action_ids', 'eql', action(77)), condition('gender', 'eql', 'F'))]),
      ],
      [
        '18 to 35 years old in Lyon',
        search('birthdate', [all(range('birthdate', 'now-35y', 'now-18y'), condition('address.city', 'eql', 'Lyon'))]),
      ],
      ['a transaction of 300 € or more', search('surname', [all(condition('transactions.amount', 'gte', '300'))])],
      [
        '100 € or more in all, and an e-mail that was not opened',
        search('-lastchange', [
          all(condition('transactions.sum_amount', 'gte', '100'), condition('emails.opened_at', 'not_ext')),
        ]),
      ],
      [
        'member in 2025, who gave 100 € or three times',
        search('surname', [
          all(condition('memberships.period', 'eql', '2025')),
          either(condition('donations.sum_amount', 'gte', '100'), condition('donations.count_amount', 'gte', '3')),
        ]),
      ],
      [
        'an e-mail opened, an e-mail not clicked, without a tag',
        search('mail', [
          all(
            condition('emails.opened_at', 'ext'),
            condition('emails.clicked_at', 'not_ext'),
            condition('tags.name', 'none_of', ['tag-05']),
          ),
        ]),
      ],
      [
        'an e-mail opened within 30 days',
        search('-lastchange', [all(condition('emails.opened_at', 'gte', 'now-30d'))]),
      ],
      [
        'name of a campaign contains, subject of another does not',
        search('surname', [
          all(
            condition('emails.campaign_name', 'contains', 'climat'),
            condition('emails.subject', 'not_contains', 'réunion'),
          ),
        ]),
      ],
      ['a sanction under way', search('surname', [all(condition('sanctions.validity', 'eql', 'ongoing'))])],
      [
        'answers under two references contain a text',
        search('surname', [all(answered('custom_fields', 'contains', form(0), [ref(0, 2), ref(0, 3)], 'bénév'))]),
      ],
      [
        'answers under two references, whatever they say',
        search('-lastchange', [all(answered('form', 'eql', form(12), [ref(12, 2), ref(12, 3)]))]),
      ],
      [
        'an answer equals, another form is not answered',
        search('surname', [
          all(
            answered('custom_fields', 'eql', form(1), [ref(1, 4)], 'Soutien'),
            answered('form', 'not_ext', form(12), []),
          ),
        ]),
      ],
      [
        'out of reach: no mail, no mobile, no phone',
        search('city', [
          all(
            condition('mail', 'not_ext'),
            condition('mobile', 'not_ext'),
            condition('phone', 'not_ext'),
            condition('black_list', 'eql', false),
          ),
        ]),
      ],
      [
        'five groups, each of two negations',
        search('surname', [
          either(condition('surname', 'not_eql', 'Martin'), condition('tags.name', 'none_of', ['tag-01'])),
          either(condition('address.city', 'not_start_with', 'Par'), condition('action_ids', 'not_eql', action(0))),
          either(
            answered(
              'custom_fields',
              'not_contains',
              form(0),
              [2, 3, 4, 5].map((n) => ref(0, n)),
              'soutien',
            ),
            condition('gender', 'not_eql', 'M'),
          ),
          either(condition('firstname', 'not_start_with', 'Ma'), condition('emails.clicked_at', 'not_ext')),
          either(answered('form', 'not_ext', form(10), []), condition('transactions.sum_amount', 'lte', '50')),
        ]),
      ],
      [
        'none of three tags, page 900 of 500',
        search('surname', [all(condition('tags.name', 'none_of', without))], { size: 500, page: 900 }),
      ],
      ['everybody, page 900 of 1000', search('surname', [], { size: 1000, page: 900 })],
      [
        'start of a mail, in an order that has all matches at its end',
        search('firstname', [all(condition('mail', 'start_with', 'zoe.'), condition('firstname', 'ext'))]),
      ],
    ] satisfies [string, Search][]
  ).map(([title, asked], index) => ({ id: `Q${String(index + 1).padStart(2, '0')}`, title, search: asked }));
