// A valid request for every operation on money, sanctions and settings lists.
import type { Fields, Requests } from './ids.ts';

export const moneyFields: Fields = {
  membershipPriceGroups: () => ({}),
  membershipPriceGroup: ({ membership_price_groups }) => ({ id: membership_price_groups }),
  donationPrices: () => ({}),
  donationPrice: ({ donation_prices }) => ({ id: donation_prices }),
  transactionStatuses: () => ({}),
  transactionStatus: ({ transaction_statuses }) => ({ id: transaction_statuses }),
  transactions: () => ({ first: 5 }),
  donations: () => ({ first: 5 }),
  memberships: () => ({ last: 5 }),
  sanctions: () => ({}),
  transaction: ({ transactions }) => ({ id: transactions }),
  donation: ({ donations }) => ({ id: donations }),
  membership: ({ memberships }) => ({ id: memberships }),
  sanction: ({ sanctions }) => ({ id: sanctions }),
  membershipPrice: ({ membership_prices }) => ({ id: membership_prices }),
  createTransaction: ({ contacts, transaction_statuses }) => ({
    input: { contactId: contacts, amount: 1000, date: '2026-11-21T09:00:00Z', statusId: transaction_statuses },
  }),
  updateTransaction: ({ transactions, transaction_statuses }) => ({
    input: { id: transactions, amount: 2000, statusId: transaction_statuses },
  }),
  deleteTransaction: ({ transactions }) => ({ input: { id: transactions } }),
  createDonation: ({ contacts, transactions, donation_prices }) => ({
    input: {
      contactId: contacts,
      amount: 1000,
      transactionDate: '2026-11-21T09:00:00Z',
      transactionId: transactions,
      donationPriceId: donation_prices,
    },
  }),
  updateDonation: ({ donations, transactions, donation_prices }) => ({
    input: { id: donations, amount: 2000, transactionId: transactions, donationPriceId: donation_prices },
  }),
  deleteDonation: ({ donations }) => ({ input: { id: donations } }),
  createMembership: ({ contacts, transactions, membership_prices }) => ({
    input: {
      contactId: contacts,
      amount: 1000,
      startDate: '2026-01-01',
      transactionId: transactions,
      membershipPriceId: membership_prices,
    },
  }),
  updateMembership: ({ memberships, transactions, membership_prices }) => ({
    input: { id: memberships, amount: 2000, transactionId: transactions, membershipPriceId: membership_prices },
  }),
  deleteMembership: ({ memberships }) => ({ input: { id: memberships } }),
  createSanction: ({ contacts }) => ({ input: { contactId: contacts, status: 'a sanction' } }),
  updateSanction: ({ sanctions }) => ({ input: { id: sanctions, status: 'another' } }),
  deleteSanction: ({ sanctions }) => ({ input: { id: sanctions } }),
  createPayment: ({ contacts, otherContacts, transaction_statuses, donation_prices, membership_prices }) => ({
    input: {
      contactId: contacts,
      // More than its parts, whichever of them gets an amount.
      amount: 900_000_000,
      date: '2026-11-21T09:00:00Z',
      statusId: transaction_statuses,
      donations: [{ contactId: otherContacts, amount: 1000, donationPriceId: donation_prices }],
      memberships: [
        { contactId: otherContacts, amount: 2000, startDate: '2026-01-01', membershipPriceId: membership_prices },
      ],
    },
  }),
  createMembershipPriceGroup: () => ({ input: { name: 'a group' } }),
  updateMembershipPriceGroup: ({ membership_price_groups }) => ({ input: { id: membership_price_groups, name: 'x' } }),
  deleteMembershipPriceGroup: ({ membership_price_groups }) => ({ input: { id: membership_price_groups } }),
  createMembershipPrice: ({ membership_price_groups }) => ({
    input: { name: 'a price', amount: 1000, membershipPriceGroupId: membership_price_groups },
  }),
  updateMembershipPrice: ({ membership_prices, membership_price_groups }) => ({
    input: { id: membership_prices, amount: 2000, membershipPriceGroupId: membership_price_groups },
  }),
  deleteMembershipPrice: ({ membership_prices }) => ({ input: { id: membership_prices } }),
  createDonationPrice: () => ({ input: { name: 'a price', amount: 1000 } }),
  updateDonationPrice: ({ donation_prices }) => ({ input: { id: donation_prices, amount: 2000 } }),
  deleteDonationPrice: ({ donation_prices }) => ({ input: { id: donation_prices } }),
  createTransactionStatus: () => ({ input: { name: 'a status' } }),
  updateTransactionStatus: ({ transaction_statuses }) => ({ input: { id: transaction_statuses, name: 'x' } }),
  deleteTransactionStatus: ({ transaction_statuses }) => ({ input: { id: transaction_statuses } }),
};

export const moneyRequests: Requests = {
  MembershipPriceGroups: () => ({ path: {} }),
  DonationPrices: () => ({ path: {} }),
  TransactionStatuses: () => ({ path: {} }),
};
