// Routes of forms and of the settings lists (spec §2.7–§2.9, §4.9–§4.11).
import { defineRestRoute, type Route, slice } from './route.ts';

const listSettings = (name: string, operation: Route['operation'], summary: string): Route =>
  defineRestRoute('GET', `/v1/${name}`, operation, summary, {
    aliases: [`/${name}`],
    variables: slice,
    envelope: 'list',
    example: { query: { limit: 10 } },
  });

export const settingsRoutes: Route[] = [
  listSettings('membership_price_groups', 'MembershipPriceGroups', 'Membership price groups with their prices'),
  listSettings('donation_prices', 'DonationPrices', 'Donation prices'),
  listSettings('transaction_statuses', 'TransactionStatuses', 'Transaction statuses'),
];

export const formRoutes: Route[] = [
  defineRestRoute('GET', '/forms/{formId#}', 'FormById', 'A form', {
    aliases: ['/v1/forms/{formId#}'],
    variables: { id: { path: 'formId' } },
    envelope: 'data',
    example: { path: { formId: 1 } },
  }),
  defineRestRoute('GET', '/forms/{type}', 'FormsByKind', 'The forms of one kind', {
    aliases: ['/v1/forms/{type}', '/v1/forms/type/{type}', '/forms/type/{type}'],
    variables: { kind: { path: 'type' } },
    unknownIsMissing: true,
    envelope: 'data',
    example: { path: { type: 'survey' } },
  }),
];
