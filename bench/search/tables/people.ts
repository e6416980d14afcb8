// Fills the contacts with their addresses, and plans the records of each.
import { chooseByChance, drawBelow, drawDigits, drawOneOf, drawZipf } from '../build/draw.ts';
import type { Job } from '../build/lanes.ts';
import { cities, firstNames, surnames } from '../build/words.ts';
import { ids, sizes } from './settings.ts';

/** A range of contact ids, both ends included. */
export interface Stretch {
  from: number;
  to: number;
}

/** One in fifty was imported, all at the same time. An order by the last change must cope with that. */
const imported = 'n * 1.0 / size between 0.4 and 0.42';
const importedAt = `bench.today() - interval '400 days'`;

/**
 * All contacts in the order of ids. The spaces are interleaved as if they had grown at the same time. Values that several tables
 * share are drawn here once: which contacts have a mail address (and so e-mails), read mails, and pay.
 */
export const planPeople = (seed: number): Job => ({
  name: 'people',
  seed,
  sql: `create unlogged table bench.people as
    select row_number() over (order by (n - 0.5) / size, space) as id, space, n, ${imported} as imported,
      random() < 0.8 as has_mail, ${drawZipf(24)} as mails, power(random(), 2) * 0.8 as engagement,
      ${chooseByChance(0.2, `1 + ${drawZipf(8)}`, '0')} as payments,
      ${chooseByChance(0.1, `1 + ${drawZipf(6)}`, '0')} as gifts,
      ${chooseByChance(0.12, `1 + ${drawZipf(5)}`, '0')} as memberships
    from bench.sizes, generate_series(1, size) n`,
});

const domains = drawOneOf('gmail.com', 'orange.fr', 'free.fr', 'yahoo.fr', 'laposte.net', 'exemple.org');
const countries = (share: number): string =>
  chooseByChance(share, `'FR'`, drawOneOf('BE', 'CH', 'MA', 'DZ', 'DE', 'PT'));

const age = `date_part('year', age(bench.today(), birthdate))`;

export const fillContacts = ({ from, to }: Stretch, seed: number): Job => ({
  name: 'contacts',
  seed,
  sql: `insert into contacts (group_id, id, external_id, firstname, surname, married_name, gender, birthdate, age_category,
      birth_city, birth_country, nationality, mail, phone, phone_invalid, mobile, mobile_invalid, black_list, user_id,
      user_contact_id, lastchange, created_at, updated_at)
    select x.space, x.id, ${chooseByChance(0.1, `'X' || x.id`)}, ${chooseByChance(0.97, 'f.name')},
      ${chooseByChance(0.98, chooseByChance(0.1, 'upper(s.name)', 's.name'))}, ${chooseByChance(0.12, 'w.name')},
      case when draw < 0.9 then case when f.k % 2 = 0 then 'F' else 'M' end when draw < 0.92 then 'O' end,
      birthdate, case when birthdate is not null then least(6, greatest(0, floor((${age} - 10) / 12))) end,
      ${chooseByChance(0.35, 'c.name')}, ${chooseByChance(0.35, countries(0.9))}, ${chooseByChance(0.4, countries(0.93))},
      case when x.has_mail then ${chooseByChance(0.2, 'f.name', 'f.plain')} || '.' || s.plain || x.id || '@' || ${domains} end,
      ${chooseByChance(0.35, `'+33' || 1 + ${drawBelow(5)} || ${drawDigits(8)}`)}, random() < 0.03,
      ${chooseByChance(0.65, `'+336' || ${drawDigits(8)}`)}, random() < 0.03, random() < 0.05, ${chooseByChance(0.8, ids.user('x.space', drawZipf(sizes.users)))},
      case when x.n <= ${sizes.users} then ${ids.user('x.space', 'x.n - 1')} end, changed, created, changed
    from (
      select p.*, ${drawZipf(firstNames.length)} as first, ${drawZipf(surnames.length)} as last, ${drawZipf(surnames.length)} as wed,
        ${drawZipf(cities.length)} as town, random() as draw, ${chooseByChance(0.7, `date '2008-12-31' - ${drawBelow(28_000)}`)} as birthdate,
        case when imported then ${importedAt} else since end as created,
        case when imported then ${importedAt} else since + (bench.today() - since) * (1 - power(random(), 2)) end as changed
      from (
        select *, bench.today() - random() * interval '2880 days' as since
        from bench.people where id between ${from} and ${to} offset 0
      ) p offset 0
    ) x
    join bench.first_names f on f.k = first join bench.surnames s on s.k = last
    join bench.surnames w on w.k = wed join bench.cities c on c.k = town`,
});

const ways = drawOneOf('rue', 'avenue', 'boulevard', 'place', 'chemin', 'impasse');
const namesakes = drawOneOf(
  'de la République',
  'Victor Hugo',
  'des Écoles',
  'Jean Jaurès',
  'de l’Église',
  'Pasteur',
  'de la Gare',
  'du Moulin',
  'des Lilas',
);

export const fillAddresses = ({ from, to }: Stretch, seed: number): Job => ({
  name: 'addresses',
  seed,
  sql: `insert into addresses (group_id, id, contact_id, house_number, street, postal_code, city, country, addition, building, floor, door,
      polling_station, score, latitude, longitude, invalid)
    select x.space, x.id, x.id, ${chooseByChance(0.8, `(1 + ${drawZipf(300)})::text`)}, ${ways} || ' ' || ${namesakes} || ${chooseByChance(0.5, `' ' || s.name`, `''`)},
      c.postal_code, c.name, ${chooseByChance(0.95, `'FR'`, `'BE'`)}, ${chooseByChance(0.05, `'Appt ' || ${drawBelow(50)}`)}, ${chooseByChance(0.15, `chr(65 + ${drawZipf(8)})`)},
      ${chooseByChance(0.2, `${drawZipf(12)}::text`)}, ${chooseByChance(0.15, `${drawBelow(40)}::text`)}, ${chooseByChance(0.5, `lpad((1 + ${drawZipf(120)})::text, 4, '0')`)},
      random(), 43 + random() * 7, random() * 8 - 1, ${chooseByChance(0.03, `'npai'`)}
    from (
      select space, id, ${drawZipf(cities.length)} as town, ${drawZipf(surnames.length)} as patron
      from bench.people where id between ${from} and ${to} and random() < 0.85 offset 0
    ) x
    join bench.cities c on c.k = town join bench.surnames s on s.k = patron`,
});
