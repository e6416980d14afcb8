// The reference: for each search the SQL of somebody who knows these tables, this data and the planner.
import { escapeLiteral } from 'pg';
import { matchPrefix, type Page, sortFound, sortFoundByChange, walkChanges, walkIndex } from './hand-page.ts';
import type { Subject } from './subject.ts';

export interface Hand {
  /** The ids of the page, in order; `$1` is the space. */
  page: string;
  count: string;
}

/** A condition: the contact of the search row `s` has such a record. */
type Has = (table: string, test: string) => string;
type Where = string | ((has: Has) => string);

/** Leaves the plan to the planner. */
const has: Has = (table, test) =>
  `exists (select from ${table} r where r.group_id = $1 and r.contact_id = s.contact_id and ${test})`;

/** OFFSET prevents the planner from reading the whole other table first, when a page needs few contacts. */
const probed: Has = (table, test) => has(table, `${test} offset 0`);

const pageOf = (page: Page, where: Where): string => page(typeof where === 'string' ? where : where(probed));
const countOf = (where: Where): string =>
  `select count(*) from contact_search s where s.group_id = $1 and ${typeof where === 'string' ? where : where(has)}`;
const both = (where: Where, page: Page): Hand => ({ page: pageOf(page, where), count: countOf(where) });

const array = (ids: number[]): string => `'{${ids.join(',')}}'::bigint[]`;
const within = (select: string): string => `s.contact_id in (${select})`;

/** A literal day, for which the planner has statistics. */
const yearsAgo = (years: number): string => {
  const day = new Date();
  day.setUTCFullYear(day.getUTCFullYear() - years);
  return day.toISOString().slice(0, 10);
};

/** Names are resolved first, in less than a millisecond, so that the planner has statistics for the ids. */
export const listHandQueries = (subject: Subject): Hand[] => {
  const { contacts, mail, form, ref, action, tag, named, unlike } = subject;
  const none = `not s.tag_ids && ${array([0, 5, 11].map(tag))}`;
  const said = saidIn(subject);
  const read = '(r.with_value & 4) <> 0 and (r.without_value & 8) <> 0';
  const opened = `now() - interval '30 days'`;
  const sanctioned = (has: Has): string =>
    has(
      'sanctions',
      'r.deleted_at is null and coalesce(r.start_date <= now(), true) and coalesce(r.end_date >= now(), true)',
    );
  const letter = escapeLiteral(mail);
  // An e-mail of a campaign in both sets meets both conditions, and here this applies to each campaign with the name.
  if (named.some((id) => !unlike.includes(id))) throw new Error('A campaign has both words: another SQL is the best');

  return [
    both(`s.surname = 'legnon'`, sortFoundByChange),
    both(matchPrefix('surname', 'de'), walkIndex('surname')),
    both(`s.firstname = 'helene' and s.city = 'paris'`, sortFound('surname')),
    both(
      `s.mail = fold(${letter}) and exists (select from contacts c where c.group_id = $1 and c.id = s.contact_id and c.mail = ${letter})`,
      sortFound('surname'),
    ),
    both(`s.mobile like '%45678%'`, sortFound('surname')),
    both(`s.tag_ids && ${array([0, 1].map(tag))}`, walkChanges),
    both(none, walkIndex('surname')),
    both(`s.tag_ids @> ${array([3, 10, 20].map(tag))}`, sortFound('surname')),
    both(`s.action_ids @> ${array([action(77)])} and s.gender = 'F'`, sortFound('firstname')),
    both(
      `s.city = 'lyon' and s.birthdate > '${yearsAgo(35)}' and s.birthdate <= '${yearsAgo(18)}'`,
      walkIndex('birthdate', `'infinity'`),
    ),
    both('s.transactions_max >= 30000', walkIndex('surname')),
    both(`s.transactions_sum >= 10000 and ${has('contact_emails', '(r.without_value & 4) <> 0')}`, walkChanges),
    both(
      `(s.donations_sum >= 10000 or s.donations_count >= 3) and ${has(
        'memberships',
        `r.deleted_at is null and r.start_date <= '2025-12-31' and (r.end_date is null or r.end_date >= '2025-01-01')`,
      )}`,
      walkIndex('surname'),
    ),
    {
      page: pageOf(
        walkIndex('mail'),
        (has) => `${has('contact_emails', read)} and not s.tag_ids && ${array([tag(5)])}`,
      ),
      // The tag's own index avoids reading search rows.
      count: countOf((has) => `${has('contact_emails', read)} and not ${has('contact_tags', `r.tag_id = ${tag(5)}`)}`),
    },
    {
      page: pageOf(walkChanges, (has) => has('contact_emails', `r.opened_max >= ${opened}`)),
      count: countOf((has) => has('emails', `r.deleted_at is null and r.opened_at >= ${opened}`)),
    },
    both((has) => has('emails', `r.deleted_at is null and r.campaign_id = any(${array(named)})`), walkIndex('surname')),
    // In a large space, one match in a hundred is found fast along the order. In a small one, finding all matches is faster.
    both(sanctioned, contacts > 100_000 ? walkIndex('surname') : () => sortFound('surname')(sanctioned(has))),
    both(within(`${said(0, 2, `like '%benev%'`)} intersect ${said(0, 3, `like '%benev%'`)}`), sortFound('surname')),
    both(`s.form_ref_ids @> ${array([ref(12, 2), ref(12, 3)])}`, sortFoundByChange),
    both(`${within(said(1, 4, `= 'soutien'`))} and not s.form_ids @> ${array([form(12)])}`, sortFound('surname')),
    both('(s.filled & 7) = 0 and not s.black_list', walkIndex('city')),
    negations(subject),
    both(none, contacts > 900_000 ? beyondMiddle(none, 500, 900) : walkIndex('surname', `''`, 500, 900)),
    both('true', walkIndex('surname', `''`, 1000, 900)),
    both(`${matchPrefix('mail', 'zoe.')} and s.firstname > ''`, sortFound('firstname')),
  ];
};

/** Contacts with such an answer to the n-th form and its reference value number `place`. */
const saidIn =
  ({ form, ref }: Subject) =>
  (n: number, place: number, test: string): string =>
    `select contact_id from answers where group_id = $1 and form_id = ${form(n)} and form_ref_id = ${ref(n, place)} and folded ${test}`;

/** Five groups that nearly all contacts match: indexes find those that fail one, and these are subtracted from all. */
const negations = (subject: Subject): Hand => {
  const { form, ref, action, tag } = subject;
  const said = saidIn(subject);
  const places = [2, 3, 4, 5];
  const failures: Where[] = [
    `s.surname = 'martin' and s.tag_ids && ${array([tag(1)])}`,
    `${matchPrefix('city', 'par')} and s.action_ids @> ${array([action(0)])}`,
    // A contact without an answer to all of them cannot fail. The array of the row shows this without reading answers.
    `s.gender = 'M' and s.form_ref_ids @> ${array(places.map((place) => ref(0, place)))}
      and ${places.map((place) => within(said(0, place, `like '%soutien%'`))).join(' and ')}`,
    (has) => `${matchPrefix('firstname', 'ma')} and not ${has('contact_emails', '(r.without_value & 8) <> 0')}`,
    `s.form_ids @> ${array([form(10)])} and s.transactions_sum > 5000`,
  ];
  const any: Where = (has) => failures.map((one) => `(${typeof one === 'string' ? one : one(has)})`).join(' or ');
  const ids = failures.map((one) => countOf(one).replace('count(*)', 's.contact_id'));
  return {
    page: pageOf(walkIndex('surname'), (has) => `not (${any(has)})`),
    count: `select (${countOf('true')}) - (select count(*) from (${ids.join(' union ')}) failing) as count`,
  };
};

/** A page in the second half of the large space is read from the end, once the number of contacts is known. */
const beyondMiddle =
  (where: string, size: number, page: number): Page =>
  () =>
    `with matching as materialized (${countOf(`${where} and s.surname > ''`)})
  select contact_id from (
    select s.contact_id, s.surname from contact_search s where s.group_id = $1 and ${where} and s.surname > ''
     order by s.surname desc, s.contact_id desc limit ${size} offset (select count - ${size * (page + 1)} from matching)
  ) page order by surname, contact_id`;
