// Money and sanctions of contacts: transactions, the donations and memberships that they paid, and sanctions (spec §4.13; decisions §4).
import { donations } from '../../src/data/money/donation.ts';
import { memberships } from '../../src/data/money/membership.ts';
import { sanctions } from '../../src/data/money/sanction.ts';
import { transactions } from '../../src/data/money/transaction.ts';
import { defineNounList } from '../graph/noun.ts';

export const { type: Donation, connection: donationConnection } = defineNounList(donations);
export const { type: Membership, connection: membershipConnection } = defineNounList(memberships);
export const { type: Sanction, connection: sanctionConnection } = defineNounList(sanctions);
export const { type: Transaction, connection: transactionConnection } = defineNounList(transactions);
