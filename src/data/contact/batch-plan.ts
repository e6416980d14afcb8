// Finds which records of a batch mean the same contact, in memory, as if each record were written before the next is read.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { Pace } from '../../limits/pace.ts';
import { type Folded, foldIdentities, type IdentifyingText, type Identity } from './identity.ts';
import type { UpsertWrite } from './patch.ts';
import type { MatchedContact, Matcher } from './save.ts';

/** The values that identify a contact; empty, or infinity, where it has none. */
interface ContactState extends Record<IdentifyingText | 'external_id' | 'birthdate', string> {
  former_mails: readonly string[];
}

interface KnownContact extends MatchedContact, ContactState {
  /** When several contacts match, a record means the one with the lowest rank: the oldest. */
  rank: number;
}

const noBirthdate = 'infinity';

/** All contacts that records may mean: by id, mail or name. One that a record means only after an earlier record has changed it is found for that one. */
const candidates = defineStatement(
  'contact.candidates',
  `select s.contact_id as id, s.mail, s.firstname, s.surname, s.birthdate, s.city, s.postal_code,
          array(select fold_inline(f.mail) from former_mails f where f.group_id = :group and f.contact_id = s.contact_id) as former_mails,
          coalesce((select c.external_id from contacts c where c.group_id = :group and c.id = s.contact_id), '') as external_id,
          coalesce((select fold_inline(coalesce(a.street, '')) from addresses a where a.group_id = :group and a.contact_id = s.contact_id), '') as street
     from (select unnest(cast(:ids as bigint[])) as contact_id
           union select c.id from contacts c where c.group_id = :group and c.external_id = any(cast(:keys as text[])) and c.deleted_at is null
           union select f.contact_id from contact_search f where f.group_id = :group and f.mail = any(cast(:mails as text[]))
           union select f.contact_id from former_mails f where f.group_id = :group and fold(f.mail) collate "C" = any(cast(:mails as text[]))
           union select f.contact_id from unnest(cast(:surnames as text[]), cast(:firstnames as text[])) n (surname, firstname)
                   join contact_search f on f.group_id = :group and f.surname = n.surname and f.firstname = n.firstname) found
     join contact_search s on s.group_id = :group and s.contact_id = found.contact_id
    order by s.contact_id`,
);
const nameOf = ({ surname, firstname }: ContactState): string => `${surname}\n${firstname}`;

/** Contacts by a key that may change; those of one key are in the order of their rank. */
const createIndex = (keyOf: (state: ContactState) => string) => {
  const known = new Map<string, KnownContact[]>();
  /** Adds a contact under the key of a state, which it may not have yet. */
  const add = (state: KnownContact, one: KnownContact = state): void => {
    const key = keyOf(state);
    const all = known.get(key) ?? [];
    known.set(key, all);
    const younger = all.findLastIndex(({ rank }) => rank < one.rank) + 1;
    all.splice(younger, 0, one);
  };
  const remove = (one: KnownContact): void => {
    const all = known.get(keyOf(one))!;
    all.splice(all.indexOf(one), 1);
  };
  return {
    add,
    remove,
    /** The oldest contact that has the key of this state and matches. */
    find: (state: ContactState, fits: (one: KnownContact) => boolean = () => true): KnownContact | undefined =>
      known.get(keyOf(state))?.find(fits),
    /** Gives a contact another state. If its key stays, it is replaced in place: many contacts may have the same key. */
    move: (one: KnownContact, state: ContactState): void => {
      if (keyOf(one) === keyOf(state)) return;
      remove(one);
      add({ ...one, ...state }, one);
    },
  };
};
type Index = ReturnType<typeof createIndex>;

/** The keys of indexes: mail alone, with the first name, with the family name, and with both; then name alone, and the external id. */
const indexKeys: readonly ((state: ContactState) => string)[] = [
  ({ mail }) => mail,
  ({ mail, firstname }) => `${mail}\n${firstname}`,
  ({ mail, surname }) => `${mail}\n${surname}`,
  (state) => `${state.mail}\n${nameOf(state)}`,
  nameOf,
  ({ external_id }) => external_id,
];

const keyOf = ({ content }: UpsertWrite): string => String(content.columns.external_id ?? '');

const isHomeless = ({ city, postal_code, street }: Pick<ContactState, 'city' | 'postal_code' | 'street'>): boolean =>
  city === '' && postal_code === '' && street === '';

/** Whether a record and a contact of the same name are one person. The statement `contact.match` applies the same rule. */
const isNamesake = (record: Folded, one: ContactState): boolean => {
  if (record.birthdate !== null && one.birthdate !== noBirthdate && record.birthdate !== one.birthdate) return false;
  if (isHomeless(record) || isHomeless(one)) return true;
  const near =
    (record.city !== '' && one.city === record.city) ||
    (record.postal_code !== '' && one.postal_code === record.postal_code);
  return near && ((record.birthdate !== null && one.birthdate !== noBirthdate) || one.street === record.street);
};

/** The values that identify a contact after a record is written to it. */
const stateAfter = (
  before: ContactState,
  { content: { columns, address } }: UpsertWrite,
  record: Folded,
): ContactState => ({
  external_id: columns.external_id === undefined ? before.external_id : String(columns.external_id ?? ''),
  mail: columns.mail === undefined ? before.mail : record.mail,
  firstname: columns.firstname === undefined ? before.firstname : record.firstname,
  surname: columns.surname === undefined ? before.surname : record.surname,
  birthdate: columns.birthdate === undefined ? before.birthdate : (record.birthdate ?? noBirthdate),
  city: address !== null && address?.city === undefined ? before.city : record.city,
  postal_code: address !== null && address?.postal_code === undefined ? before.postal_code : record.postal_code,
  street: address !== null && address?.street === undefined ? before.street : record.street,
  former_mails:
    columns.mail === undefined || before.mail === '' || before.mail === record.mail
      ? before.former_mails
      : [...before.former_mails, before.mail],
});

const emptyState: ContactState = {
  external_id: '',
  mail: '',
  firstname: '',
  surname: '',
  birthdate: noBirthdate,
  city: '',
  postal_code: '',
  street: '',
  former_mails: [],
};

/**
 * Tells which contact each record of a batch means. A refused record is not accepted, and does not change which contact another one means. `byKey`: a record with
 * an external id means the contact that has this id, or a contact that has none. `apart`: a record with a mail never means a contact with another one by its name.
 */
export const planBatch = async (
  tx: Space,
  writes: readonly UpsertWrite[],
  identities: readonly Identity[],
  { byKey, apart }: { byKey: boolean; apart: boolean },
): Promise<Matcher> => {
  const records = await foldIdentities(tx, identities);
  const named = records.filter(({ surname }) => surname !== '');
  const rows = await tx.rows<ContactState & { id: number }>(candidates, {
    ids: records.flatMap(({ survivor }) => survivor ?? []),
    keys: byKey ? writes.flatMap((write) => keyOf(write) || []) : [],
    mails: [...new Set(records.flatMap(({ mail }) => (mail === '' ? [] : [mail])))],
    surnames: named.map(({ surname }) => surname),
    firstnames: named.map(({ firstname }) => firstname),
  });
  let byId = new Map<number | null, KnownContact>();
  let indexes: Index[] = [];
  /** Contacts by the mails that they had before. */
  let formers = new Map<string, Set<KnownContact>>();
  let count = 0;

  const addFormers = (one: KnownContact): void => {
    for (const mail of one.former_mails) formers.set(mail, (formers.get(mail) ?? new Set()).add(one));
  };

  const begin = (): void => {
    const known = rows.map((row, rank): KnownContact => ({ ...row, rank }));
    count = known.length;
    byId = new Map(known.map((one) => [one.id, one]));
    indexes = indexKeys.map(createIndex);
    formers = new Map();
    for (const one of known) {
      for (const index of indexes) index.add(one);
      addFormers(one);
    }
  };

  /** The oldest contact that had the mail of a record before, and has the names that it gives. */
  const findFormer = (
    { mail, firstname, surname }: Folded,
    isFree: (one: ContactState) => boolean,
  ): KnownContact | undefined => {
    const matches = [...(formers.get(mail) ?? [])].filter(
      (one) =>
        isFree(one) && (firstname === '' || one.firstname === firstname) && (surname === '' || one.surname === surname),
    );
    return matches.sort((one, other) => one.rank - other.rank)[0];
  };

  /** The contact that the record means, given the records accepted before it. */
  const find = (place: number): KnownContact => {
    const record = records[place]!;
    const { mail, firstname, surname, survivor } = record;
    const meant = { ...emptyState, mail, firstname, surname };
    // Names are part of the key where they are given: each combination has an index of its own, since thousands of contacts may share one mail.
    const ofMail = indexes[(firstname === '' ? 0 : 1) + (surname === '' ? 0 : 2)]!;
    const [byName, groupByKey] = indexes.slice(-2) as [Index, Index];
    const key = byKey ? keyOf(writes[place]!) : '';
    const isFree = (one: ContactState): boolean => key === '' || one.external_id === '';
    const isPerson = (one: ContactState): boolean => isFree(one) && isNamesake(record, one);
    const known = survivor === null ? undefined : byId.get(survivor);
    return (
      (key === '' ? undefined : groupByKey.find({ ...meant, external_id: key })) ??
      (known && isFree(known) ? known : undefined) ??
      (mail === '' ? undefined : ofMail.find(meant, isFree)) ??
      (mail === '' ? undefined : findFormer(record, isFree)) ??
      (surname === ''
        ? undefined
        : byName.find(meant, (one) => isPerson(one) && !(apart && mail !== '' && one.mail !== ''))) ?? {
        ...emptyState,
        id: null,
        rank: count,
        namesake: apart && surname !== '' ? byName.find(meant, isPerson) : undefined,
      }
    );
  };

  const accept = (place: number, one: KnownContact): void => {
    const state = stateAfter(one, writes[place]!, records[place]!);
    const isNew = one.id === null && one.rank === count;
    if (isNew) count++;
    else for (const index of indexes) index.move(one, state);
    Object.assign(one, state);
    addFormers(one);
    if (isNew) for (const index of indexes) index.add(one);
  };

  const forget = (id: number): void => {
    const one = byId.get(id);
    if (!one) return;
    byId.delete(id);
    for (const index of indexes) index.remove(one);
    for (const mail of one.former_mails) formers.get(mail)?.delete(one);
  };

  // Goes through the records as if all were accepted: this yields the contacts to lock.
  begin();
  const ids = new Set<number>();
  const pace = new Pace();
  for (const place of records.keys()) {
    const one = find(place);
    if (one.id !== null) ids.add(one.id);
    accept(place, one);
    await pace.breathe();
  }
  begin();
  return { ids: [...ids], find, accept: (place, meant) => accept(place, meant as KnownContact), forget };
};
