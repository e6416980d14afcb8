// Ids for requests: one of each noun in a space.
import { formKinds } from '../../src/data/form.ts';
import type { Door, Json } from '../harness/app.ts';

/** The tables whose ids a request may contain. */
export type Noun =
  | 'contacts'
  | 'otherContacts'
  | 'deletedContacts'
  | 'actions'
  | 'teams'
  | 'users'
  | 'invitations'
  | 'received'
  | 'forms'
  | 'roles'
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
  | 'emails';

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
const makeForms = (door: Door, space: number): Promise<unknown> =>
  door.sql(
    `with wanted as (
       select kind, ?::text as label, 'text' as type from unnest(?::text[]) kind
       union all select 'survey', ?, 'radio'),
     made as (
       insert into forms (group_id, kind, label, type)
       select ?, w.kind, w.label, w.type from wanted w
        where not exists (select from forms f where f.group_id = ? and f.kind = w.kind and f.label = w.label and f.deleted_at is null)
       returning group_id, id, label, type)
     insert into form_refs (group_id, form_id, label, value, position)
     select group_id, id, label, case when type = 'radio' then label end, 0 from made`,
    [openQuestion, [...formKinds], openChoice, space, space],
  );

/** A condition for children of contacts: the contact is not deleted. */
const onLivingContact =
  '(group_id, contact_id) in (select c.group_id, c.id from contacts c where c.deleted_at is null)';

/** A condition for custom fields: they accept any text, under one reference value. */
const free = `kind = 'custom_fields' and type = 'text'`;

let turns = 0;

/** An id of each noun in a space, so that every request has a record to refer to. */
export const idsOf = async (door: Door, space: number): Promise<Ids> => {
  const first = async (table: string, where = 'true'): Promise<number> =>
    (
      await door.sql(`select min(id) as id from ${table} where group_id = ? and deleted_at is null and ${where}`, [
        space,
      ])
    )[0].id;
  const [{ id: users }] = await door.sql(
    'select max(user_id) as id from members where group_id = ? and user_id not in (select user_id from members where group_id <> ?)',
    [space, space],
  );
  const [{ id: otherContacts }] = await door.sql(
    'select max(id) as id from contacts where group_id = ? and deleted_at is null',
    [space],
  );
  const refOf = async (form: number): Promise<number> =>
    (await door.sql('select min(id) as id from form_refs where group_id = ? and form_id = ?', [space, form]))[0].id;
  await makeForms(door, space);
  const forms = await first('forms', `kind <> 'custom_fields'`);
  const freeForms = await first('forms', free);
  const choices = await first('forms', `label = '${openChoice}'`);
  return {
    turn: turns++,
    contacts: await first('contacts'),
    otherContacts,
    deletedContacts: await deletedContact(door, space),
    actions: await first('actions'),
    teams: await first('teams'),
    users,
    invitations: await first('invitations'),
    received: await receivedInvitation(door, space),
    forms,
    answerRefs: await refOf(forms),
    roles: await first('roles', `type = 'user'`),
    spaces: space,
    transactions: await first('transactions', onLivingContact),
    donations: await first('donations', onLivingContact),
    memberships: await first('memberships', onLivingContact),
    sanctions: (await first('sanctions', onLivingContact)) ?? (await newSanction(door, space)),
    membership_price_groups: await first('membership_price_groups'),
    membership_prices: await first('membership_prices'),
    donation_prices: await first('donation_prices'),
    transaction_statuses: await first('transaction_statuses'),
    notes: await first('notes', onLivingContact),
    interactions: await first('interactions', onLivingContact),
    files: await first(
      'files',
      `(group_id, interaction_id) in (select group_id, id from interactions where deleted_at is null and ${onLivingContact})`,
    ),
    tags: (await door.sql('select min(id) as id from tags where group_id = ?', [space]))[0].id,
    freeForms,
    form_refs: await refOf(freeForms),
    choices,
    choice_refs: await refOf(choices),
    templates: await first('templates'),
    campaigns: await first('campaigns'),
    emails: await first('emails', onLivingContact),
    imports: await newImport(door, space),
  };
};
