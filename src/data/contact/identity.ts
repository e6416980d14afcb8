// Identity resolution: finds the existing contact that an upsert refers to (decisions on spec §4.14), and takes the locks that keep a person from being created twice.
import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace } from '../../database/statement.ts';

/** The texts that identify a contact. */
export type IdentifyingText = 'mail' | 'firstname' | 'surname' | 'city' | 'postal_code' | 'street';

/** The identifying values of a record, as they were sent. A first name is empty when it is cleared. */
export type Identity = { id: number | null } & Record<IdentifyingText | 'birthdate', string | null>;

interface Match {
  /** The matching contact; null when there is none yet. */
  contact: number | null;
  /** A contact of the same name that another mail keeps apart. */
  namesake: number | null;
  /** Each once. Two records of one batch that share a key may be one person, or become one by the first of them. */
  keys: string[];
}

const identities = `jsonb_to_recordset(cast(:items as jsonb)) as i (n int, id bigint, mail text, firstname text, surname text,
    birthdate date, city text, postal_code text, street text)`;
const folded = `select i.n, i.id, i.firstname is not null as renamed, fold_inline(coalesce(i.mail, '')) as mail, fold_inline(coalesce(i.firstname, '')) as firstname, fold_inline(coalesce(i.surname, '')) as surname,
    i.birthdate, fold_inline(coalesce(i.city, '')) as city, fold_inline(coalesce(i.postal_code, '')) as postal_code, fold_inline(coalesce(i.street, '')) as street
  from ${identities} offset 0`;

/**
 * Advisory locks of a space, taken in one order by all: a record holds those of its mail and of its name until its transaction ends. Their
 * number is bounded, so that a batch of thousands fits into the lock table; two persons who share a lock only wait for each other.
 */
const lock = defineStatement(
  'contact.lock_identities',
  `select pg_advisory_xact_lock(hashint8(:group), key) from (
     select distinct key from (${folded}) g
       cross join lateral (values (case when mail <> '' then (hashtext('mail ' || mail) & 1023) end),
                                  (case when surname <> '' then (hashtext('name ' || surname || ' ' || firstname) & 1023) + 1024 end)) lock (key)
      where key is not null order by key) ordered cross join ${oneRowOfSpace}`,
);

/** Looked up for each match: a join would read all addresses for a handful of contacts. */
const street = `coalesce((select fold_inline(coalesce(a.street, '')) from addresses a where a.group_id = :group and a.contact_id = s.contact_id), '')`;

/** The oldest contact of the same name that may be the person of a record `g`. */
const namesakeSql = `select min(s.contact_id) from contact_search s
       where g.surname <> '' and s.group_id = :group and s.surname = g.surname and s.firstname = g.firstname
         and (g.birthdate is null or s.birthdate = 'infinity' or s.birthdate = g.birthdate)
         and (g.city = '' and g.postal_code = '' and g.street = ''
              or s.city = '' and s.postal_code = '' and ${street} = ''
              or (g.city <> '' and s.city = g.city or g.postal_code <> '' and s.postal_code = g.postal_code)
                 and (g.birthdate is not null and s.birthdate < 'infinity' or ${street} = g.street))`;

/**
 * The oldest of several matches; one that has the mail now comes before one that had it. The old id of a merged contact means its survivor, as long as that
 * lives. With `apart`, a record with a mail never means a contact with another mail by its name. Mail and name are those that the contact will
 * have: a later record of the batch may refer to it by them.
 */
const match = defineStatement(
  'contact.match',
  `select m.n, m.contact, case when :apart and m.contact is null then (${namesakeSql.replaceAll('g.', 'm.')}) end as namesake,
          coalesce(nullif(m.mail, ''), h.mail, '') as mail, coalesce(nullif(m.surname, ''), h.surname, '') as surname,
          case when m.renamed then m.firstname else coalesce(h.firstname, '') end as firstname
     from (select g.*, coalesce(
     (select l.id from contacts c join contacts l on l.group_id = :group and l.id = coalesce(c.merged_into, c.id) and l.deleted_at is null
       where c.group_id = :group and c.id = g.id),
     (select min(s.contact_id) from contact_search s
       where g.mail <> '' and s.group_id = :group and s.mail = g.mail
         and (g.firstname = '' or s.firstname = g.firstname) and (g.surname = '' or s.surname = g.surname)),
     (select min(s.contact_id) from former_mails f join contact_search s on s.group_id = :group and s.contact_id = f.contact_id
       where g.mail <> '' and f.group_id = :group and fold(f.mail) collate "C" = g.mail
         and (g.firstname = '' or s.firstname = g.firstname) and (g.surname = '' or s.surname = g.surname)),
     (${namesakeSql} and (not :apart or g.mail = '' or s.mail = ''))) as contact
     from (${folded}) g) m
     left join contact_search h on h.group_id = :group and h.contact_id = m.contact order by m.n`,
);

const fold = defineStatement(
  'contact.fold_identities',
  `select (select l.id from contacts c join contacts l on l.group_id = :group and l.id = coalesce(c.merged_into, c.id) and l.deleted_at is null
            where c.group_id = :group and c.id = g.id) as survivor, g.mail, g.firstname, g.surname, g.birthdate, g.city, g.postal_code, g.street
     from (${folded}) g order by g.n`,
);

/** The identifying values of a record, normalized for comparison; empty where it has none. */
export interface Folded extends Record<IdentifyingText, string> {
  /** The contact of its id, or the one that this was merged into. */
  survivor: number | null;
  birthdate: string | null;
}

export const foldIdentities = (tx: Space, identities: readonly Identity[]): Promise<Folded[]> =>
  tx.rows(fold, { items: itemsOf(identities) });

/** Until the transaction ends, no other one creates or looks for the persons that these may be. */
export const lockIdentities = (tx: Space, identities: readonly Identity[]): Promise<unknown> =>
  tx.rows(lock, { items: itemsOf(identities) });

/** Locks of external ids, taken before those of identities. */
const lockOfKeys = defineStatement(
  'contact.lock_keys',
  `select pg_advisory_xact_lock(hashint8(:group), key) from (
     select distinct (hashtext('external ' || k.key) & 1023) + 2048 as key from unnest(cast(:keys as text[])) k (key) order by key) ordered
    cross join ${oneRowOfSpace}`,
);

/** Until the transaction ends, no other one that locks keys creates or looks for the contacts of these external ids. */
export const lockIdentityKeys = async (tx: Space, keys: readonly unknown[]): Promise<void> => {
  if (keys.length > 0) await tx.rows(lockOfKeys, { keys });
};

/** The contact that each record means. Their identities are locked. `apart` when mails keep people of one name apart. */
export const matchContacts = async (tx: Space, identities: readonly Identity[], apart: boolean): Promise<Match[]> => {
  const rows = await tx.rows<Omit<Match, 'keys'> & { mail: string; surname: string; firstname: string }>(match, {
    items: itemsOf(identities),
    apart,
  });
  return rows.map(({ mail, surname, firstname, contact, namesake }) => ({
    contact,
    namesake,
    keys: [
      ...(mail ? [`mail ${mail}`] : []),
      ...(surname ? [`name ${surname}\n${firstname}`] : []),
      ...(contact === null ? [] : [`contact ${contact}`]),
    ],
  }));
};

const itemsOf = (identities: readonly Identity[]): string =>
  JSON.stringify(identities.map((identity, n) => ({ n, ...identity })));
