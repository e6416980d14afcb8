// Reads what a request's headers say of media types, encodings and languages. A header that is too long counts as not sent.
import { parse } from 'content-type';
import Negotiator from 'negotiator';
import { limits } from '../limits/limits.ts';

const bound = (header: string | null): string | undefined =>
  header !== null && header.length <= limits.request.headerCharacters ? header.trim() || undefined : undefined;

const negotiate = (name: string, header: string | null): Negotiator =>
  new Negotiator({ headers: { [name]: bound(header) } });

/** The media types of an `Accept`, without their parameters, the preferred ones first; any for none. */
export const listAcceptedTypes = (accept: string | null): string[] =>
  negotiate('accept', accept)
    .mediaTypes()
    .map((type) => type.toLowerCase());

/**
 * The offered media type that a client prefers (RFC 9110 §12.5.1), the first of them for a client that accepts anything; undefined when it
 * accepts none. Offers have their parameters, such as `text/csv; charset=utf-8`. A client that names one with others gets it all the same.
 */
export const chooseOffer = <Offer extends string>(
  accept: string | null,
  offers: readonly Offer[],
): Offer | undefined => {
  const [best] = negotiate('accept', accept).mediaTypes(offers) as Offer[];
  if (best !== undefined) return best;
  for (const type of listAcceptedTypes(accept)) {
    const offer = offers.find((one) => parse(one, { parameters: false }).type === type);
    if (offer !== undefined) return offer;
  }
  return undefined;
};

/** The offered encoding that a client prefers (RFC 9110 §12.5.3); undefined when it prefers none of them, or says nothing. */
export const chooseEncoding = <Offer extends string>(
  acceptEncoding: string | null,
  offers: readonly Offer[],
): Offer | undefined => {
  const [best] = negotiate('accept-encoding', acceptEncoding).encodings([...offers, 'identity']);
  return offers.find((offer) => offer === best);
};

export const acceptsGzip = (acceptEncoding: string | null): boolean =>
  chooseEncoding(acceptEncoding, ['gzip']) !== undefined;

/** The languages that a client prefers, the best first, such as `fr-CA`; any for none. */
export const listPreferredLanguages = (acceptLanguage: string | null): string[] =>
  negotiate('accept-language', acceptLanguage).languages();

/** Whether a `Content-Type` is one of these types in UTF-8, as clients spell it, or in the part of it that ASCII is. The types are in lower case. */
export const isTextType = (contentType: string | null, types: readonly string[]): boolean => {
  const header = bound(contentType);
  if (header === undefined) return false;
  const { type, parameters } = parse(header);
  return types.includes(type) && /^'?(utf[-_]?8|us-ascii)?'?$/i.test(parameters.charset ?? '');
};

/** In characters. */
const shownOfHeader = 100;

export const shortenHeader = (text: string): string =>
  text.length > shownOfHeader ? `${text.slice(0, shownOfHeader)}…` : text;
