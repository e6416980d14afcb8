// A handful of searches after writes: what each finds must be what the model says, by the contract's words on operators (spec §4.13, decisions §4).
import type { Json } from '../harness/app.ts';
import { foldText, isSet } from '../search/oracle-text.ts';
import type { Chance } from '../search/random.ts';
import { tagNames, urls } from './draws.ts';
import type { Model, Person, Relation } from './model.ts';

interface Asked {
  condition: Json;
  finds(person: Person): boolean;
}

const folded = (value: Json): string => foldText(value ?? '');

/** Conditions drawn anew at every call. */
const conditions = (model: Model, draw: Chance): Asked[] => {
  const ask = (attr: string, ope: string, more: Json, finds: Asked['finds']): Asked => ({
    condition: { attr, ope, ...more },
    finds,
  });
  const sum = (relation: Relation, { id }: Person): number =>
    model.on(relation, id).reduce((total, { fields }) => total + fields.amount, 0);
  const some = (relation: Relation, holds: (fields: Json) => boolean) => (person: Person) =>
    model.on(relation, person.id).some(({ fields }) => holds(fields));
  const surname = draw.pick(['martin', 'DURAND', 'ost']);
  const mail = draw.pick(['a@x.org', 'A@X.org', 'É@x.org']);
  const tag = draw.pick(tagNames);
  const city = draw.pick(['albi', 'Agen']);
  const euros = draw.pick([0, 1, 50, 99.9]);
  const form = draw.pick(model.ground.forms);
  const attr = form.kind === 'custom_fields' ? 'custom_fields' : 'form';
  const ref = draw.pick(form.refs);
  const url = draw.pick(urls);
  const externalId = draw.pick(['x1', 'x2']);
  const year = draw.pick(['2024', '2026']);
  const answered = ({ answers }: Person) => answers.some((one) => one.form === form);
  const action = draw.pick(model.ground.actions);
  const now = new Date().toISOString();
  return [
    ask('surname', 'eql', { value: surname }, ({ fields }) => folded(fields.surname) === foldText(surname)),
    ask('firstname', 'not_ext', {}, ({ fields }) => !isSet(fields.firstname)),
    ask('mail', 'eql:strictdata', { value: mail }, ({ fields }) => fields.mail === mail),
    ask('mail', 'eql', { value: mail }, ({ fields, formerMails }) =>
      [fields.mail, ...formerMails].some((one) => folded(one) === foldText(mail)),
    ),
    ask('tags.name', 'eql', { value: tag }, ({ tags }) => [...tags].some((one) => foldText(one) === foldText(tag))),
    ask('tags.name', 'not_ext', {}, ({ tags }) => tags.size === 0),
    ask('address.city', 'eql', { value: city }, ({ address }) => folded(address?.city) === foldText(city)),
    ask('address.street', 'ext', {}, ({ address }) => isSet(address?.street)),
    ask('address.invalid', 'not_eql', { value: 'npai' }, ({ address }) => folded(address?.invalid) !== 'npai'),
    ask('external_id', 'eql', { value: externalId }, ({ fields }) => fields.externalId === externalId),
    ask('black_list', 'eql', { value: true }, ({ fields }) => fields.blackList),
    ask('action_ids', 'eql', { value: action }, ({ actions }) => actions.has(action)),
    ask('user_id', 'eql', { value: model.ground.plain }, ({ by }) => by === model.ground.plain),
    ask('donations.sum_amount', 'gte', { value: String(euros) }, (one) => sum('donations', one) >= euros * 100),
    ask('transactions.sum_amount', 'lte', { value: '0' }, (one) => sum('transactions', one) <= 0),
    ask('transactions.count_amount', 'eql', { value: '1' }, ({ id }) => model.on('transactions', id).length === 1),
    ask(
      'transactions.amount',
      'gte',
      { value: '50' },
      some('transactions', ({ amount }) => amount >= 5000),
    ),
    ask(
      'memberships.period',
      'eql',
      { value: year },
      some(
        'memberships',
        ({ startDate, endDate }) => startDate <= `${year}-12-31` && (!endDate || endDate >= `${year}-01-01`),
      ),
    ),
    ask(attr, 'ext', { form_id: form.id }, answered),
    ask(attr, 'not_ext', { form_id: form.id }, (one) => !answered(one)),
    ask(attr, 'eql', { form_id: form.id, form_ref_ids: [ref.id] }, ({ answers }) =>
      answers.some((one) => one.ref === ref.id),
    ),
    ask(attr, 'eql', { form_id: form.id, value: '42' }, ({ answers }) =>
      answers.some((one) => one.form === form && folded(one.data) === '42'),
    ),
    ask(
      'emails.opened_at',
      'ext',
      {},
      some('emails', ({ openedAt }) => openedAt !== null),
    ),
    ask(
      'emails.opened_at',
      'not_ext',
      {},
      some('emails', ({ openedAt }) => openedAt === null),
    ),
    ask(
      'emails.clicked_urls',
      'eql',
      { value: url },
      some('emails', ({ clickedUrls }) => clickedUrls.includes(url)),
    ),
    ask(
      'sanctions.status',
      'eql',
      { value: 'banned' },
      some('sanctions', ({ status }) => status === 'banned'),
    ),
    ask(
      'sanctions.validity',
      'eql',
      { value: 'ongoing' },
      some('sanctions', ({ startDate, endDate }) => (!startDate || startDate <= now) && (!endDate || endDate > now)),
    ),
  ];
};

/** Some searches: what each found, and what it had to find. */
export const runSearches = async (model: Model, draw: Chance, count: number): Promise<[found: Json, meant: Json]> => {
  const { door, space, boss } = model.ground;
  const found: Json[] = [];
  const meant: Json[] = [];
  for (const { condition, finds } of draw.some(conditions(model, draw), count)) {
    const query = { $all: [{ $all: [{ $condition: condition }] }] };
    const body = { data: { advanced_search: { per_page: 1000, query } } };
    const { status, body: answer } = await door.rest('POST', '/search', body, await door.token(space, boss));
    const ids = status === 200 ? answer.data.contacts.map(({ id }: Json) => id) : answer;
    found.push({ condition, ids });
    meant.push({
      condition,
      ids: model
        .living()
        .filter(finds)
        .map(({ id }) => id),
    });
  }
  return [found, meant];
};
