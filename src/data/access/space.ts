// Spaces: reads that of a request, and creates, lists, renames and deletes spaces for the operator of the server.

import type { Database } from '../../database/database.ts';
import type { Pool } from '../../database/pool.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import type { RoleType } from '../../permissions/permissions.ts';
import { createInvalidProblem, createNotFoundProblem, Problem } from '../../problem.ts';
import type { FormKind, FormType } from '../form/form.ts';
import { createForm, type RefContent } from '../form/form-write.ts';
import { transactionStatuses } from '../money/settings.ts';
import { operator } from '../noun/reach.ts';
import { type Account, type AccountContent, ensureOwnerOfMail, runForOperator } from './account.ts';
import { addMember } from './member.ts';
import { createRole } from './role.ts';
import { issueToken } from './token.ts';

export interface SpaceRow {
  id: number;
  name: string;
  /** ISO 3166; phones without a calling code are read by it where a contact has no country. */
  default_country: string | null;
  created_at: string;
  updated_at: string;
}

export const spaceSql =
  'select id, name, default_country, created_at, updated_at from spaces where id = :group and deleted_at is null';
const read = defineStatement('space.read', spaceSql);

/** The space of the request; undefined when it was deleted meanwhile. */
export const readSpace = (space: Space): Promise<SpaceRow | undefined> => space.row(read);

/** A space for the operator. */
export interface ListedSpace {
  id: number;
  name: string;
  country: string | null;
  members: number;
  contacts: number;
  createdAt: string;
  deletedAt: string | null;
}

interface SpaceContent {
  name: string;
  country?: string | null;
  owner: AccountContent;
}

/** A new space, the account of its superadmin, and their token, which is shown only once. */
export interface CreatedSpace {
  id: number;
  name: string;
  owner: Account;
  token: string;
}

const reserveId = `select nextval(pg_get_serial_sequence('spaces', 'id')) as id`;
/** Null while demo data is loaded. Its spaces become visible at its end, when their rows are there: no other space may get their ids meanwhile. */
const create = defineStatement(
  'space.create',
  `select case when pg_try_advisory_xact_lock_shared(hashtext('muster seed'))
               then create_space(cast(:group as bigint), :name, :isFirst) end as is_created`,
);
const rename = defineStatement(
  'space.rename',
  'update spaces set name = :name, updated_at = now() where id = :group and deleted_at is null returning id',
);
/** The search rows of its phones follow, some at a time. */
const setCountry = defineStatement(
  'space.set_country',
  `update spaces set default_country = cast(:country as text), updated_at = now(),
          rederived_to = case when default_country is distinct from cast(:country as text) then -1 else rederived_to end
    where id = :group and deleted_at is null returning calling_code(cast(:country as text))`,
);
const remove = defineStatement(
  'space.delete',
  'update spaces set deleted_at = now(), updated_at = now() where id = :group and deleted_at is null and name = :name returning id',
);

/** The languages of the roles, forms and statuses of a new space. */
export const spaceLanguages = ['en', 'fr'] as const;
export type SpaceLanguage = (typeof spaceLanguages)[number];
type Texts = Record<SpaceLanguage, string>;

/** The highest first: who invites offers the first role of type `user` unless they say otherwise. */
const newRoles: { type: RoleType; name: Texts }[] = [
  { type: 'superadmin', name: { en: 'Superadmin', fr: 'Superadministrateur' } },
  { type: 'admin', name: { en: 'Admin', fr: 'Administrateur' } },
  { type: 'manager', name: { en: 'Manager', fr: 'Responsable' } },
  { type: 'user', name: { en: 'User', fr: 'Utilisateur' } },
];

/** Values are the same in all languages. */
interface NewForm {
  kind: FormKind;
  label: Texts;
  type: FormType;
  refs: [value: string, en: string, fr: string][];
}

/** Legacy clients expect a form of each of these kinds. */
const newForms: NewForm[] = [
  {
    kind: 'consent',
    label: { en: 'Newsletter', fr: 'Infolettre' },
    type: 'radio',
    refs: [
      ['yes', 'Yes', 'Oui'],
      ['no', 'No', 'Non'],
    ],
  },
  {
    kind: 'level_of_support',
    label: { en: 'Level of support', fr: 'Niveau de soutien' },
    type: 'radio',
    refs: [
      ['5', 'Strongly in favour', 'Très favorable'],
      ['4', 'Rather in favour', 'Plutôt favorable'],
      ['3', 'Undecided', 'Indécis'],
      ['2', 'Rather opposed', 'Plutôt opposé'],
      ['1', 'Strongly opposed', 'Très opposé'],
    ],
  },
  {
    kind: 'presence_status',
    label: { en: 'Presence', fr: 'Présence' },
    type: 'select',
    refs: [
      ['registered', 'Registered', 'Inscrit'],
      ['present', 'Present', 'Présent'],
      ['absent', 'Absent', 'Absent'],
      ['excused', 'Excused', 'Excusé'],
    ],
  },
];

const newStatuses: { name: Texts; color: string; kind: string }[] = [
  { name: { en: 'Paid', fr: 'Payé' }, color: '#27ae60', kind: 'success' },
  { name: { en: 'Pending', fr: 'En attente' }, color: '#f39c12', kind: 'pending' },
  { name: { en: 'Failed', fr: 'Échoué' }, color: '#c0392b', kind: 'failure' },
  { name: { en: 'Refunded', fr: 'Remboursé' }, color: '#8e44ad', kind: 'refund' },
];

const translateForm = ({ label, refs, ...form }: NewForm, language: SpaceLanguage) => ({
  ...form,
  label: label[language],
  refs: refs.map(([value, en, fr]): RefContent => ({ value, label: { en, fr }[language] })),
});

/** Fills a space that has nothing yet, and yields its superadmin and their token. A bare one gets roles only. */
const fill = async (
  tx: Space,
  content: AccountContent,
  { isBare, language }: { isBare: boolean; language: SpaceLanguage },
): Promise<{ owner: Account; token: string }> => {
  const roles = [];
  for (const { type, name } of newRoles) roles.push(await createRole(tx, { type, name: name[language] }, operator));
  const owner = await ensureOwnerOfMail(tx, content);
  await addMember(tx, { userId: owner.id, roleId: roles[0]!.id }, operator);
  for (const form of isBare ? [] : newForms) await createForm(tx, translateForm(form, language));
  for (const { name, ...status } of isBare ? [] : newStatuses)
    await transactionStatuses.create(tx, owner.id, { ...status, name: name[language] });
  const issued = await issueToken(tx, { userId: owner.id, label: 'Created with the space' });
  return { owner, token: issued!.token };
};

/** Why a database that has a space is not set up again. */
export const createNotEmptyProblem = (): Problem =>
  new Problem(
    'conflict',
    'This database has a space already: "muster space create" creates another one, "muster space list" shows them',
  );

/**
 * Creates a space with its roles, forms and transaction statuses, and its superadmin with a token: all of it, or nothing. A known mail
 * means its account. It throws 409 while demo data is loaded, and with `isFirst` when the database has a space. With `isBare` it has no forms and no statuses.
 */
export const createSpace = async (
  database: Database,
  { name, country = null, owner: content }: SpaceContent,
  {
    isFirst = false,
    isBare = false,
    language = 'en',
  }: { isFirst?: boolean; isBare?: boolean; language?: SpaceLanguage | undefined } = {},
): Promise<CreatedSpace> => {
  const [{ id }] = (await runForOperator<{ id: number }>(database.readers, reserveId)) as [{ id: number }];
  return database.space(id).transaction(async (tx) => {
    const { is_created: isCreated } = (await tx.row<{ is_created: boolean | null }>(create, { name, isFirst }))!;
    if (isCreated === null)
      throw new Problem('conflict', 'Demo data is being loaded into this database: try again when that has ended');
    if (!isCreated) throw createNotEmptyProblem();
    if (country !== null) await setSpaceCountry(tx, country);
    return { id, name, ...(await fill(tx, content, { isBare, language })) };
  });
};

/** All spaces by id, deleted ones among them. */
export const listSpaces = (pool: Pool): Promise<ListedSpace[]> =>
  runForOperator(
    pool,
    `select s.id, s.name, s.default_country as country, s.created_at as "createdAt", s.deleted_at as "deletedAt",
            coalesce(m.count, 0) as members, coalesce(c.count, 0) as contacts
       from spaces s
       left join (select group_id, count(*) from members group by group_id) m on m.group_id = s.id
       left join (select group_id, count(*) from contacts where deleted_at is null group by group_id) c on c.group_id = s.id
      order by s.id`,
  );

/** Throws 404 for a missing space. */
export const renameSpace = async (space: Space, name: string): Promise<void> => {
  if (!(await space.row(rename, { name }))) throw createNotFoundProblem('space', space.id);
};

/** Sets the country that phones without a calling code are of, or none. Throws 400 for what is no code of a country, 404 for a missing space. */
export const setSpaceCountry = (space: Space, country: string | null): Promise<void> =>
  space.transaction(async (tx) => {
    const found = await tx.row<{ calling_code: string | null }>(setCountry, { country });
    if (!found) throw createNotFoundProblem('space', space.id);
    if (country !== null && found.calling_code === null)
      throw createInvalidProblem([
        {
          location: 'country',
          message: 'must be a country by its two letters of ISO 3166, such as FR',
          value: country,
        },
      ]);
  });

/** Soft-deletes a space of this name: from then on its tokens and its invitations open nothing. Throws 404 when it is missing. */
export const deleteSpace = async (space: Space, name: string): Promise<void> => {
  if (!(await space.row(remove, { name }))) throw createNotFoundProblem('space', space.id);
};
