// Routes of forms and of the settings lists (spec §2.7–§2.9, §4.9–§4.11).
import { type Route, slice } from './route.ts';

export const settingsRoutes: Route[] = [
  {
    method: 'GET',
    path: '/v1/membership_price_groups',
    aliases: ['/membership_price_groups'],
    operation: 'MembershipPriceGroups',
    variables: slice,
    envelope: 'list',
    summary: 'Membership price groups with their prices',
    example: { query: { limit: 10 } },
  },
  {
    method: 'GET',
    path: '/v1/donation_prices',
    aliases: ['/donation_prices'],
    operation: 'DonationPrices',
    variables: slice,
    envelope: 'list',
    summary: 'Donation prices',
    example: { query: { limit: 10 } },
  },
  {
    method: 'GET',
    path: '/v1/transaction_statuses',
    aliases: ['/transaction_statuses'],
    operation: 'TransactionStatuses',
    variables: slice,
    envelope: 'list',
    summary: 'Transaction statuses',
    example: { query: { limit: 10 } },
  },
];

export const formRoutes: Route[] = [
  {
    method: 'GET',
    path: '/forms/{formId#}',
    aliases: ['/v1/forms/{formId#}'],
    operation: 'FormById',
    variables: { id: { path: 'formId' } },
    envelope: 'data',
    summary: 'A form',
    example: { path: { formId: 1 } },
  },
  {
    method: 'GET',
    path: '/forms/{type}',
    aliases: ['/v1/forms/{type}', '/v1/forms/type/{type}', '/forms/type/{type}'],
    operation: 'FormsByKind',
    variables: { kind: { path: 'type' } },
    unknownIsMissing: true,
    envelope: 'data',
    summary: 'The forms of one kind',
    example: { path: { type: 'survey' } },
  },
];
