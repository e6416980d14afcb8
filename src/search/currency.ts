// The currencies of amounts in conditions: euros, unless a condition names another one.

/** The currency of amounts in conditions that name none. */
export const ownCurrency = 'EUR';

const decimalsByCurrency = new Map<string, number>();

/** The number of decimals of a currency: two for euros, none for yen. Its minor units are that much smaller. */
export const countDecimals = (currency: string): number => {
  const known = decimalsByCurrency.get(currency);
  if (known !== undefined) return known;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  decimalsByCurrency.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
};

/** Reads the currency of a condition: undefined for euros, as when it is left out. */
export const readCurrency = (sent: unknown, refuse: (message: string) => undefined): string | undefined => {
  if (sent === undefined || sent === null || sent === ownCurrency) return undefined;
  if (typeof sent === 'string' && /^[A-Z]{3}$/.test(sent)) return sent;
  return refuse('must be three capital letters, such as JPY');
};
