// Which records of a batch mean one contact, where some of them may: told in memory, as if one record came after the other.
import { Pace } from '../pace.ts';
import { Problem } from '../problem.ts';
import { type Folded, foldIdentities, type Identity } from './contact-match.ts';
import type { UpsertWrite } from './contact-upsert.ts';
import { type Space, statement } from './space.ts';

/** A contact that records mean, by their places in the batch; without an id the first of them creates it. */
export interface Person {
  id: number | null;
  places: number[];
}

/** What tells whose a contact is; empty, or infinity, where it has none. */
interface State {
  mail: string;
  firstname: string;
  surname: string;
  birthdate: string;
  city: string;
  postal_code: string;
  street: string;
}

interface Known extends Person, State {
  /** Records mean the contact with the lowest rank, the oldest, where several fit. */
  rank: number;
  external_id: string | null;
}

const unborn = 'infinity';

/** All that a record may mean: by its id, its mail or its name. What a record of the batch gives to a contact is among these. */
const candidates = statement(
  'contact.candidates',
  `select s.contact_id as id, s.mail, s.firstname, s.surname, s.birthdate, s.city, s.postal_code, c.external_id,
          coalesce((select fold_inline(coalesce(a.street, '')) from addresses a where a.group_id = :group and a.contact_id = s.contact_id), '') as street
     from (select unnest(cast(:ids as bigint[])) as contact_id
           union select f.contact_id from contact_search f where f.group_id = :group and f.mail = any(cast(:mails as text[]))
           union select f.contact_id from unnest(cast(:surnames as text[]), cast(:firstnames as text[])) n (surname, firstname)
                   join contact_search f on f.group_id = :group and f.surname = n.surname and f.firstname = n.firstname) found
     join contact_search s on s.group_id = :group and s.contact_id = found.contact_id
     join contacts c on c.group_id = :group and c.id = s.contact_id
    order by s.contact_id`,
);
const holders = statement(
  'contact.external_holders',
  'select id, external_id from contacts where group_id = :group and external_id = any(cast(:ids as text[])) and deleted_at is null',
);

const nameOf = ({ surname, firstname }: State): string => `${surname}\n${firstname}`;

/** Contacts by a key that may change, those of each key by their rank. */
class Index {
  readonly #keyOf: (state: State) => string;
  readonly #known = new Map<string, Known[]>();

  constructor(keyOf: (state: State) => string) {
    this.#keyOf = keyOf;
  }

  /** The oldest that has the key of this state, and fits. */
  find(state: State, fits: (one: Known) => boolean = () => true): Known | undefined {
    return this.#known.get(this.#keyOf(state))?.find(fits);
  }

  /** Adds a contact under the key of a state, which may not be its own yet. */
  add(state: Known, one: Known = state): void {
    const key = this.#keyOf(state);
    const all = this.#known.get(key) ?? [];
    this.#known.set(key, all);
    const younger = all.findLastIndex(({ rank }) => rank < one.rank) + 1;
    all.splice(younger, 0, one);
  }

  /** Gives a contact another state. One whose key stays is found where it was: many may have the same. */
  move(one: Known, state: State): void {
    const key = this.#keyOf(one);
    if (key === this.#keyOf(state)) return;
    const all = this.#known.get(key)!;
    all.splice(all.indexOf(one), 1);
    this.add({ ...one, ...state }, one);
  }
}

/** By mail alone, with the first name, with the family name, with both. */
const mailIndexes = [
  () => new Index(({ mail }) => mail),
  () => new Index(({ mail, firstname }) => `${mail}\n${firstname}`),
  () => new Index(({ mail, surname }) => `${mail}\n${surname}`),
  () => new Index((state) => `${state.mail}\n${nameOf(state)}`),
];

const isHomeless = ({ city, postal_code, street }: State): boolean =>
  city === '' && postal_code === '' && street === '';

/** Whether a record and a contact of its name are one person. It says what the statement `contact.match` says. */
const isNamesake = (record: Folded, one: State): boolean => {
  if (record.birthdate !== null && one.birthdate !== unborn && record.birthdate !== one.birthdate) return false;
  if (isHomeless({ ...record, birthdate: '' }) || isHomeless(one)) return true;
  const near =
    (record.city !== '' && one.city === record.city) ||
    (record.postal_code !== '' && one.postal_code === record.postal_code);
  return near && ((record.birthdate !== null && one.birthdate !== unborn) || one.street === record.street);
};

/** What a contact is known by once a record is written to it. */
const stateAfter = (before: State, { content: { columns, address } }: UpsertWrite, record: Folded): State => ({
  mail: columns.mail === undefined ? before.mail : record.mail,
  firstname: columns.firstname === undefined ? before.firstname : record.firstname,
  surname: columns.surname === undefined ? before.surname : record.surname,
  birthdate: columns.birthdate === undefined ? before.birthdate : (record.birthdate ?? unborn),
  city: address !== null && address?.city === undefined ? before.city : record.city,
  postal_code: address !== null && address?.postal_code === undefined ? before.postal_code : record.postal_code,
  street: address !== null && address?.street === undefined ? before.street : record.street,
});

const nobody: State = {
  mail: '',
  firstname: '',
  surname: '',
  birthdate: unborn,
  city: '',
  postal_code: '',
  street: '',
};

/** Each contact that the records mean, in the order of its first. Throws 409 when one takes an external id that another has then. */
export const planBatch = async (
  tx: Space,
  writes: readonly UpsertWrite[],
  identities: readonly Identity[],
): Promise<Person[]> => {
  const records = await foldIdentities(tx, identities);
  const named = records.filter(({ surname }) => surname !== '');
  const rows = await tx.rows<State & { id: number; external_id: string | null }>(candidates, {
    ids: records.flatMap(({ survivor }) => survivor ?? []),
    mails: [...new Set(records.flatMap(({ mail }) => (mail === '' ? [] : [mail])))],
    surnames: named.map(({ surname }) => surname),
    firstnames: named.map(({ firstname }) => firstname),
  });
  const known = rows.map((row, rank): Known => ({ ...row, rank, places: [] }));
  const byId = new Map(known.map((one) => [one.id, one]));
  const byName = new Index(nameOf);
  const all = [...mailIndexes, () => byName].map((make) => make());
  for (const one of known) for (const index of all) index.add(one);
  const pace = new Pace();
  const taken = await takenIds(tx, writes, byId);

  for (const [place, record] of records.entries()) {
    const write = writes[place]!;
    const { mail, firstname, surname } = record;
    const meant = { ...nobody, mail, firstname, surname };
    // Names count where they are given: each choice of them has an index of its own, since one mail may be that of thousands.
    const ofMail = all[(firstname === '' ? 0 : 1) + (surname === '' ? 0 : 2)]!;
    let one =
      (record.survivor === null ? undefined : byId.get(record.survivor)) ??
      (mail === '' ? undefined : ofMail.find(meant)) ??
      (surname === '' ? undefined : byName.find(meant, (other) => isNamesake(record, other)));
    const isNew = one === undefined;
    one ??= { ...nobody, id: null, rank: known.length, external_id: null, places: [] };
    if (isNew) known.push(one);
    one.places.push(place);
    const state = stateAfter(one, write, record);
    if (!isNew) for (const index of all) index.move(one, state);
    Object.assign(one, state);
    if (isNew) for (const index of all) index.add(one);
    takeId(taken, one, write.content.columns.external_id as string | null | undefined);
    await pace.breathe();
  }
  return known.filter(({ places }) => places.length > 0).sort((one, other) => one.places[0]! - other.places[0]!);
};

/** Maps each external id that the records give to the contact that has it. */
const takenIds = async (
  tx: Space,
  writes: readonly UpsertWrite[],
  byId: ReadonlyMap<number | null, Known>,
): Promise<Map<string, object>> => {
  const ids = writes.flatMap(({ content }) => (content.columns.external_id as string | null | undefined) ?? []);
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<{ id: number; external_id: string }>(holders, { ids });
  return new Map(rows.map((row) => [row.external_id, byId.get(row.id) ?? row]));
};

const takeId = (taken: Map<string, object>, one: Known, id: string | null | undefined): void => {
  if (id === undefined || id === one.external_id) return;
  if (id !== null && (taken.get(id) ?? one) !== one) throw new Problem('conflict', 'That is already there');
  if (one.external_id !== null) taken.delete(one.external_id);
  if (id !== null) taken.set(id, one);
  one.external_id = id;
};
