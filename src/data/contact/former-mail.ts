// Mails that upserts, imports and merges replaced. The contact is still found and matched by them.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';

const keep = defineStatement(
  'former_mail.keep',
  `insert into former_mails (group_id, contact_id, mail)
   select :group, g.id, g.mail from unnest(cast(:ids as bigint[]), cast(:mails as text[])) g (id, mail) on conflict do nothing`,
);
const move = defineStatement(
  'former_mail.move',
  `insert into former_mails (group_id, contact_id, mail)
   select :group, cast(:survivor as bigint), m.mail from (
     select mail from contacts where group_id = :group and id = any(:others)
     union select mail from former_mails where group_id = :group and contact_id = any(:others)) m
    where m.mail <> '' on conflict do nothing`,
);
/** Keeps mails of contacts that the transaction has locked or created. */
export const keepFormerMails = async (tx: Space, mails: readonly { id: number; mail: string }[]): Promise<void> => {
  if (mails.length > 0) await tx.rows(keep, { ids: mails.map(({ id }) => id), mails: mails.map(({ mail }) => mail) });
};

/** The mails of merged contacts, and those that they had before, are former mails of the survivor. */
export const moveFormerMails = (tx: Space, survivor: number, others: readonly number[]): Promise<unknown> =>
  tx.rows(move, { survivor, others });
