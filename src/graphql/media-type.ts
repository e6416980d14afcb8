// Chooses the media type of an answer by `Accept`, and the status that goes with it (draft of GraphQL over HTTP).
import type { ExecutionResult } from 'graphql';
import { encodeBody } from '../http/compression.ts';
import { chooseOffer } from '../http/negotiation.ts';
import { stringifyResult } from '../plan/json-text.ts';
import { Problem } from '../problem.ts';
import type { Result } from './execute.ts';

/** Clients that accept anything get the first. */
const offered = ['application/json', 'application/graphql-response+json'] as const;
export type MediaType = (typeof offered)[number];

const offers = offered.map((type) => `${type}; charset=utf-8` as const);

/** The media type for a client's `Accept`; undefined when it accepts none of ours. */
export const chooseMediaType = (accept: string | null): MediaType | undefined => {
  const offer = chooseOffer(accept, offers);
  return offer && offered[offers.indexOf(offer)];
};

export const createMediaTypeProblem = (): Problem =>
  new Problem('not-acceptable', `GraphQL is answered as ${offered.join(' or ')}`);

export const formatContentType = (type: MediaType): string => `${type}; charset=utf-8`;

/** As `application/json`, a readable request is answered with 200 even if its document or variables are faulty. */
const statusOf = ({ data, errors = [] }: ExecutionResult, type: MediaType): number => {
  if (data !== undefined) return 200;
  const status = Math.max(400, ...errors.map(({ extensions }) => Number(extensions.status ?? 400)));
  return status === 400 && type === 'application/json' ? 200 : status;
};

/** The answer to a readable request, compressed as its client accepts. */
export const createGraphqlResponse = async (
  result: Result,
  type: MediaType,
  acceptEncoding: string | null,
): Promise<Response> => {
  const text = result.stringify ? result.stringify(result) : stringifyResult(result);
  const { body, headers } = await encodeBody(text as string, acceptEncoding);
  return new Response(body, {
    status: statusOf(result, type),
    headers: { 'Content-Type': formatContentType(type), ...headers },
  });
};
