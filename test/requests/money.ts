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
    contactId: contacts,
    input: { amount: 1000, date: '2026-11-21T09:00:00Z', statusId: transaction_statuses },
  }),
  updateTransaction: ({ transactions, transaction_statuses }) => ({
    id: transactions,
    input: { amount: 2000, statusId: transaction_statuses },
  }),
  deleteTransaction: ({ transactions }) => ({ id: transactions }),
  createDonation: ({ contacts, transactions, donation_prices }) => ({
    contactId: contacts,
    input: {
      amount: 1000,
      transactionDate: '2026-11-21T09:00:00Z',
      transactionId: transactions,
      donationPriceId: donation_prices,
    },
  }),
  updateDonation: ({ donations, transactions, donation_prices }) => ({
    id: donations,
    input: { amount: 2000, transactionId: transactions, donationPriceId: donation_prices },
  }),
  deleteDonation: ({ donations }) => ({ id: donations }),
  createMembership: ({ contacts, transactions, membership_prices }) => ({
    contactId: contacts,
    input: {
      amount: 1000,
      startDate: '2026-01-01',
      transactionId: transactions,
      membershipPriceId: membership_prices,
    },
  }),
  updateMembership: ({ memberships, transactions, membership_prices }) => ({
    id: memberships,
    input: { amount: 2000, transactionId: transactions, membershipPriceId: membership_prices },
  }),
  deleteMembership: ({ memberships }) => ({ id: memberships }),
  createSanction: ({ contacts }) => ({ contactId: contacts, input: { status: 'a sanction' } }),
  updateSanction: ({ sanctions }) => ({ id: sanctions, input: { status: 'another' } }),
  deleteSanction: ({ sanctions }) => ({ id: sanctions }),
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
  updateMembershipPriceGroup: ({ membership_price_groups }) => ({ id: membership_price_groups, input: { name: 'x' } }),
  deleteMembershipPriceGroup: ({ membership_price_groups }) => ({ id: membership_price_groups }),
  createMembershipPrice: ({ membership_price_groups }) => ({
    input: { name: 'a price', amount: 1000, membershipPriceGroupId: membership_price_groups },
  }),
  updateMembershipPrice: ({ membership_prices, membership_price_groups }) => ({
    id: membership_prices,
    input: { amount: 2000, membershipPriceGroupId: membership_price_groups },
  }),
  deleteMembershipPrice: ({ membership_prices }) => ({ id: membership_prices }),
  createDonationPrice: () => ({ input: { name: 'a price', amount: 1000 } }),
  updateDonationPrice: ({ donation_prices }) => ({ id: donation_prices, input: { amount: 2000 } }),
  deleteDonationPrice: ({ donation_prices }) => ({ id: donation_prices }),
  createTransactionStatus: () => ({ input: { name: 'a status' } }),
  updateTransactionStatus: ({ transaction_statuses }) => ({ id: transaction_statuses, input: { name: 'x' } }),
  deleteTransactionStatus: ({ transaction_statuses }) => ({ id: transaction_statuses }),
};

export const moneyRequests: Requests = {
  MembershipPriceGroups: () => ({ path: {} }),
  DonationPrices: () => ({ path: {} }),
  TransactionStatuses: () => ({ path: {} }),
};
