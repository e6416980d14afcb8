// Amounts of money, each with its currency.
import { builder } from './builder.ts';

interface MoneySource {
  /** In minor units of the currency. */
  amount: number;
  currency: string;
}

/** The options of fields that make an amount of the record's own columns. */
export const ofSameRow = {
  extensions: { json: { object: true as const } },
  resolve: <Row extends MoneySource>(row: Row) => row,
};

export const Money = builder.objectRef<MoneySource>('Money').implement({
  description: 'An amount of money. Amounts of different currencies are never added up.',
  fields: (t) => ({
    amount: t.expose('amount', {
      type: 'SafeInt',
      description: 'The amount in minor units of the currency: 9990 is 99.90 euros; negative when it was paid back.',
    }),
    currency: t.exposeString('currency', { description: 'Currency, by its code of ISO 4217.' }),
  }),
});
