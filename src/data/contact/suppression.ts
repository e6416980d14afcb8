// Opt-outs that outlive their contact: digests of mails and phones, as a list, and erased by what they are digests of.
import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace } from '../../database/statement.ts';
import { defineList } from '../noun/define-list.ts';

export interface Suppression {
  id: number;
  digest: string;
  created_at: string;
}

const columns = `r.number as id, encode(r.digest, 'hex') as digest, r.created_at`;

/** A page of an export. */
export const suppressionPage = defineStatement(
  'suppression.export',
  `select ${columns} from opt_outs r where r.group_id = :group and r.number > :after order by r.number limit :limit`,
);
const erase = defineStatement(
  'suppression.erase',
  `with gone as (
     delete from opt_outs o where o.group_id = :group and o.digest = any(digest_opt_out(:group, :email, :phone, null)) returning 1)
   select cast(count(*) as int) as count from gone`,
);

/** In this transaction, an opt-out that is undone was nobody's: it does not take those of deleted people with the same mail or phone with it. */
export const keepSuppressions = defineStatement(
  'suppression.keep',
  `select set_config('muster.keeps_opt_outs', 'on', true) from ${oneRowOfSpace}`,
);

export const suppressionList = defineList<Suppression>()({
  noun: 'suppression',
  from: 'opt_outs r',
  scoped: ['r'],
  columns,
  fields: {
    id: { column: 'r.number', type: 'id' },
    digest: { column: `encode(r.digest, 'hex')`, type: 'code' },
    createdAt: { column: 'r.created_at', type: 'instant' },
  },
  orders: ['id', 'createdAt'],
  indexed: ['id'],
});

/** Whether a phone is known again: by its last digits, of which it must have six. */
export const isKnownPhone = (phone: string): boolean => (phone.match(/\p{Nd}/gu) ?? []).length >= 6;

/** Erases the digests of a mail and of a phone. Returns how many there were. */
export const eraseSuppression = async (
  space: Space,
  known: { email: string | null; phone: string | null },
): Promise<number> => (await space.row<{ count: number }>(erase, known))!.count;
