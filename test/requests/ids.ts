// Ids for requests: one of each noun in a space.
import { formKinds } from '../../src/data/form/form.ts';
import type { Door, Json } from '../harness/app.ts';

/** The tables whose ids a request may contain. */
export type Noun =
  | 'contacts'
  | 'otherContacts'
  | 'thirdContacts'
  | 'deletedContacts'
  | 'actions'
  | 'teams'
  | 'users'
  | 'invitations'
  | 'received'
  | 'forms'
  | 'roles'
  | 'otherRoles'
  | 'tokens'
  | 'apps'
  | 'spaces'
  | 'transactions'
  | 'donations'
  | 'memberships'
  | 'sanctions'
  | 'membership_price_groups'
  | 'membership_prices'
  | 'donation_prices'
  | 'transaction_statuses'
  | 'notes'
  | 'interactions'
  | 'files'
  | 'tags'
  | 'freeForms'
  | 'form_refs'
  | 'answerRefs'
  | 'choices'
  | 'choice_refs'
  | 'templates'
  | 'campaigns'
  | 'imports'
  | 'contactChanges'
  | 'doneChanges'
  | 'merges'
  | 'emails'
  | 'answers'
  | 'auditLines'
  | 'consent_changes'
  | 'suppressions'
  | 'webhooks'
  | 'webhook_deliveries'
  | 'segments';

/** Ids in one space by noun. */
export type Ids = Record<Noun, number> & {
  /** Differs each time: a repeated value would change nothing. */
  turn: number;
};

/** Arguments of root fields of the graph, by name. */
export type Fields = Record<string, (ids: Ids) => Json>;
/** Paths and bodies of stored operations, by name. */
export type Requests = Record<string, (ids: Ids) => { path: Record<string, unknown>; body?: Json }>;

/** A deleted contact that can be restored; if there is none, one is deleted now. */
const deletedContact = async (door: Door, space: number): Promise<number> => {
  const gone =
    'select min(id) as id from contacts where group_id = ? and deleted_at is not null and merged_into is null';
  const [{ id }] = await door.sql(gone, [space]);
  if (id) return id;
  await door.sql(
    `with gone as (update contacts set deleted_at = now() where group_id = ?
        and id = (select id from contacts where group_id = ? and deleted_at is null order by id offset 5 limit 1) returning group_id, id)
     select refresh_search(group_id, array[id]) from gone`,
    [space, space],
  );
  return deletedContact(door, space);
};

/** An import that can be undone; it wrote nothing. */
const newImport = async (door: Door, space: number): Promise<number> =>
  (
    await door.sql(`insert into imports (group_id, name, fingerprint) values (?, 'an import', '') returning id`, [
      space,
    ])
  )[0].id;

/** A change of many contacts that is under way, or that can be undone; it changed nobody. */
const newContactChange = async (door: Door, space: number, finished: Date | null): Promise<number> =>
  (
    await door.sql(
      `with made as (
         insert into imports (group_id, family, name, fingerprint, finished_at) values (?, 'contact_changes', 'a change', '', ?) returning group_id, id)
       insert into bulk_changes (group_id, import_id, change, total) select group_id, id, '{"content":{"columns":{}},"deletes":false}', 0 from made
       returning import_id as id`,
      [space, finished],
    )
  )[0].id;

/** A merge into the first contact of a space, of nobody who still is there. */
const newMerge = async (door: Door, space: number): Promise<number> => {
  const [{ id }] = await door.sql(
    `insert into imports (group_id, family, name, fingerprint, finished_at) values (?, 'contact_merges', 'a merge', '', now()) returning id`,
    [space],
  );
  await door.sql(
    `insert into import_contacts (group_id, import_id, contact_id, version, before)
     select c.group_id, ?, min(c.id), 1, '{"taken":{"columns":{},"address":null,"optedOut":false},"tags":[],"actions":[],"mails":[],"apart":[]}'
       from contacts c where c.group_id = ? and c.deleted_at is null group by c.group_id`,
    [id, space],
  );
  return id;
};

/** A token of the last user of a space, which can be revoked; nobody knows it. */
const newToken = async (door: Door, space: number): Promise<number> =>
  (
    await door.sql(
      `insert into tokens (group_id, user_id, hash, prefix, label)
       select group_id, max(user_id), sha256(cast(gen_random_uuid()::text as bytea)), 'mst_sample', 'a token' from members where group_id = ?
        group by group_id returning id`,
      [space],
    )
  )[0].id;

/** An app with a name of its own. Those that were made so before are deleted, but for the last few: a space has a hundred at most. */
const newApp = async (door: Door, space: number): Promise<number> => {
  const [{ id }] = await door.sql(
    `insert into apps (group_id, name, permissions, scope, share) values (?, 'an app ' || gen_random_uuid(), '{contacts.read}', 'admin', 50) returning id`,
    [space],
  );
  await door.sql(
    `with made as (select a.id from apps a where a.group_id = ? and a.deleted_at is null and (a.name like 'app %' or a.name like 'an app %') order by a.id desc offset 20)
     update apps set deleted_at = now() where group_id = ? and id in (select id from made)`,
    [space, space],
  );
  return id;
};

/** A line of the audit log. */
const newAuditLine = async (door: Door, space: number): Promise<number> =>
  (
    await door.sql(`insert into audit_log (group_id, operation, type) values (?, 'a write', 'Note') returning id`, [
      space,
    ])
  )[0].id;

/** A line of the history of consent; made when there is none. */
const firstConsentChange = async (door: Door, space: number): Promise<number> => {
  const [{ id }] = await door.sql('select min(id) as id from consent_changes where group_id = ?', [space]);
  if (id) return id;
  await door.sql(
    `insert into consent_changes (group_id, contact_id, after, operation)
     select group_id, min(id), 'true', 'a write' from contacts where group_id = ? and deleted_at is null group by group_id`,
    [space],
  );
  return firstConsentChange(door, space);
};

/** The mail of somebody who opted out and was deleted. */
export const suppressed = 'suppressed@example.org';
const newSuppression = async (door: Door, space: number): Promise<number> => {
  const [{ id }] = await door.sql(
    `insert into opt_outs (group_id, digest) select g, d from unnest(array[cast(? as bigint)]) g, unnest(digest_opt_out(g, ?, null, null)) d
         on conflict (group_id, digest) do update set digest = excluded.digest returning number as id`,
    [space, suppressed],
  );
  return id;
};

/** A segment of women that no other segment uses. */
const newSegment = async (door: Door, space: number): Promise<number> =>
  (
    await door.sql(
      `insert into segments (group_id, name, query, author_id)
       select ?, 'a segment ' || gen_random_uuid(), '{"gender": {"equals": "F"}}', min(user_id) from members where group_id = ? returning id`,
      [space, space],
    )
  )[0].id;

/** A sanction, for a space that has none. */
const newSanction = async (door: Door, space: number): Promise<number> => {
  const [{ id }] = await door.sql(
    `insert into sanctions (group_id, contact_id, status)
     select group_id, min(id), 'a sanction' from contacts where group_id = ? and deleted_at is null group by group_id returning id`,
    [space],
  );
  return id;
};

/** A pending invitation of a third space to the first user of this one. */
const receivedInvitation = async (door: Door, space: number): Promise<number> => {
  const [{ mail }] = await door.sql(
    'select mail from users where id = (select min(user_id) from members where group_id = ?)',
    [space],
  );
  const [pending] = await door.sql(
    'select id from invitations where group_id <> ? and email = ? and user_id is null and deleted_at is null',
    [space, mail],
  );
  if (pending) return pending.id;
  const [{ id }] = await door.sql(
    `with host as (insert into spaces (name) values ('A space that invites') returning id),
     role as (insert into roles (group_id, name, type) select id, 'Guest', 'user' from host returning group_id, id)
     insert into invitations (group_id, email, role_id) select group_id, ?, id from role returning id`,
    [mail],
  );
  return id;
};

/** A form of each kind with free input; requests name it by its label. */
export const openQuestion = 'An open question';
/** A form without answers, so that its reference values can be added and removed. */
export const openChoice = 'A choice that is open';

/** Creates the forms with these labels where they are missing. */
const makeForms = async (door: Door, space: number): Promise<void> => {
  const wanted = [
    ...formKinds.map((kind) => ({ kind, label: openQuestion, type: 'text', value: null })),
    { kind: 'survey', label: openChoice, type: 'radio', value: openChoice },
  ];
  const known = 'select id from forms where group_id = ? and kind = ? and label = ? and deleted_at is null';
  for (const { kind, label, type, value } of wanted) {
    if ((await door.sql(known, [space, kind, label])).length > 0) continue;
    const insert = 'insert into forms (group_id, kind, label, type) values (?, ?, ?, ?) returning id';
    const [form] = await door.sql(insert, [space, kind, label, type]);
    await door.sql('insert into form_refs (group_id, form_id, label, value, position) values (?, ?, ?, ?, 0)', [
      space,
      form.id,
      label,
      value,
    ]);
  }
};

/** A condition for children of contacts: the contact is not deleted. */
const onLivingContact =
  '(group_id, contact_id) in (select c.group_id, c.id from contacts c where c.deleted_at is null)';

/** A condition for custom fields: they accept any text, under one reference value. */
const free = `kind = 'custom_fields' and type = 'text'`;

/** A webhook with a delivery; made when there is none. */
const firstDelivery = async (door: Door, space: number): Promise<Pick<Ids, 'webhooks' | 'webhook_deliveries'>> => {
  const find =
    'select webhook_id as webhooks, id as webhook_deliveries from webhook_deliveries where group_id = ? order by id limit 1';
  const [found] = await door.sql(find, [space]);
  if (found) return found;
  await door.sql(
    `with hook as (
       insert into webhooks (group_id, name, url, events, secret, user_id, position)
       select group_id, 'A webhook', 'https://example.org/', '{contact.updated}', 'whsec_AAAA', min(user_id), 0 from members where group_id = ? group by group_id
       returning group_id, id)
     insert into webhook_deliveries (group_id, webhook_id, event, state) select group_id, id, 'webhook.tested', 'delivered' from hook`,
    [space],
  );
  return (await door.sql(find, [space]))[0];
};

let turns = 0;

/** The first living record of these tables, and the condition that it meets beside that. */
const firstRecords: Partial<Record<Noun, string>> = {
  contacts: 'true',
  actions: 'true',
  teams: 'true',
  invitations: 'true',
  templates: 'true',
  campaigns: 'true',
  membership_price_groups: 'true',
  membership_prices: 'true',
  donation_prices: 'true',
  transaction_statuses: 'true',
  forms: `kind <> 'custom_fields'`,
  roles: `type = 'user'`,
  transactions: onLivingContact,
  donations: onLivingContact,
  memberships: onLivingContact,
  notes: onLivingContact,
  sanctions: onLivingContact,
  interactions: onLivingContact,
  emails: onLivingContact,
  files: `exists (select from interactions i where i.group_id = files.group_id and i.id = interaction_id and i.deleted_at is null
    and (i.group_id, i.contact_id) in (select c.group_id, c.id from contacts c where c.deleted_at is null))`,
};

/** An id of each noun in a space, so that every request has a record to refer to. It is asked for often, so it takes few statements. */
export const prepareIds = async (door: Door, space: number): Promise<Ids> => {
  await makeForms(door, space);
  const firstOf = (table: string, where: string): string =>
    `(select id from ${table} where group_id = ${space} and deleted_at is null and ${where} order by group_id, id limit 1)`;
  const firsts = Object.entries(firstRecords).map(([table, where]) => `${firstOf(table, where)} as ${table}`);
  const [found] = (await door.sql(`select ${firsts.join(', ')}, ${firstOf('roles', `type = 'manager'`)} as "otherRoles",
    ${firstOf('forms', free)} as "freeForms", ${firstOf('forms', `label = '${openChoice}'`)} as choices,
    (select max(user_id) from members where group_id = ${space} and user_id not in (select user_id from members where group_id <> ${space})) as users,
    (select max(id) from contacts where group_id = ${space} and deleted_at is null) as "otherContacts",
    (select id from contacts where group_id = ${space} and deleted_at is null order by id desc offset 1 limit 1) as "thirdContacts",
    (select min(id) from tags where group_id = ${space}) as tags,
    (select min(a.id) from answers a join contacts c on c.group_id = a.group_id and c.id = a.contact_id and c.deleted_at is null
      join forms f on f.group_id = a.group_id and f.id = a.form_id and f.deleted_at is null where a.group_id = ${space}) as answers`)) as [
    Ids,
  ];
  const refs = await door.sql(
    'select form_id, min(id) as id from form_refs where group_id = ? and form_id = any(?) group by form_id',
    [space, [found.forms, found.freeForms, found.choices]],
  );
  const refOf = (form: number): number => refs.find(({ form_id }) => form_id === form)!.id;
  return {
    ...found,
    turn: turns++,
    deletedContacts: await deletedContact(door, space),
    received: await receivedInvitation(door, space),
    answerRefs: refOf(found.forms),
    spaces: space,
    sanctions: found.sanctions ?? (await newSanction(door, space)),
    form_refs: refOf(found.freeForms),
    choice_refs: refOf(found.choices),
    imports: await newImport(door, space),
    contactChanges: await newContactChange(door, space, null),
    doneChanges: await newContactChange(door, space, new Date()),
    merges: await newMerge(door, space),
    tokens: await newToken(door, space),
    apps: await newApp(door, space),
    auditLines: await newAuditLine(door, space),
    consent_changes: await firstConsentChange(door, space),
    suppressions: await newSuppression(door, space),
    segments: await newSegment(door, space),
    ...(await firstDelivery(door, space)),
  };
};
