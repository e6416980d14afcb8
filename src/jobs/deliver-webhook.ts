// Sends the due deliveries of one webhook, some at once, until none is due or its time is over.
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  disableWhenFailing,
  recordAttempt,
} from '../data/webhook/delivery.ts';
import { describeChange, formatMessage, invitationSent, webhookTested } from '../data/webhook/events.ts';
import { disableWebhook } from '../data/webhook/webhook.ts';
import type { Space } from '../database/space.ts';
import { limits } from '../limits.ts';
import type { Attempt, WebhookSender } from '../webhook/send.ts';

/** How long webhooks are tried, by the settings. */
export interface DeliveryPolicy {
  sender: Pick<WebhookSender, 'send'>;
  /** In seconds: the time of one attempt, the pause after the first failure, which doubles, and the ages that end all. */
  timeout: number;
  firstPause: number;
  giveUpAfter: number;
  disableAfter: number;
  /** The page that accepts invitations. */
  invitationUrl: string | undefined;
}

/** In milliseconds: one job ends by then, and another goes on. Jobs are given a minute. */
const maxJobMs = 40_000;
/** In seconds: longer than an attempt, so that nobody else claims it meanwhile. */
const leaseMargin = 15;
/** In seconds: the longest pause between two attempts. */
const longestPause = 6 * 3600;

/** The pause before the next attempt: doubled after each, and moved by a fifth at most, so that many do not come back together. */
export const computePause = (attempts: number, firstPause: number, retryAfter: number | null): number => {
  const usual = Math.min(firstPause * 2 ** Math.min(attempts - 1, 30), longestPause) * (0.8 + Math.random() * 0.4);
  return Math.min(Math.max(usual, retryAfter ?? 0), limits.webhook.retryAfterHours * 3600);
};

/** The message of a delivery; undefined when what it is about is no longer kept. */
const createMessage = (
  space: Space,
  { id, event, change, invitation, created_at, with_values, record_id }: ClaimedDelivery,
  { invitationUrl }: DeliveryPolicy,
) => {
  if (event === webhookTested)
    return { id: `msg_${space.id}_test_${id}`, body: formatMessage(event, new Date(created_at), {}) };
  if (event === invitationSent)
    return (
      invitation && {
        id: `msg_${space.id}_invitation_${id}`,
        body: formatMessage(event, new Date(created_at), {
          id: `Invitation:${record_id}`,
          type: 'Invitation',
          ...invitation,
          roleId: `Role:${invitation.roleId}`,
          link: invitationUrl?.replaceAll('{secret}', invitation.secret) ?? null,
        }),
      }
    );
  return (
    change && {
      id: `msg_${space.id}_${change.epoch.slice(0, 8)}_${change.position}`,
      body: formatMessage(event, new Date(change.created_at), describeChange(change, change.epoch, with_values)),
    }
  );
};

/** What an attempt means for its delivery. A receiver that is gone for good says 410. */
const judgeAttempt = (
  attempt: Attempt,
  { attempts, created_at }: ClaimedDelivery,
  { firstPause, giveUpAfter }: DeliveryPolicy,
): AttemptResult => {
  const { status, error, response, milliseconds, retryAfter } = attempt;
  const facts = { status, error, response, milliseconds };
  if (!error && status! >= 200 && status! < 300) return { ...facts, state: 'delivered', pause: 0 };
  const pause = computePause(attempts, firstPause, retryAfter);
  const age = (Date.now() - Date.parse(created_at)) / 1000;
  const isOver = status === 410 || age + pause > giveUpAfter;
  return { ...facts, state: isOver ? 'given_up' : 'waiting', pause };
};

const gone: Attempt = {
  status: null,
  error: 'what it was about is no longer kept',
  response: null,
  milliseconds: 0,
  retryAfter: null,
};

/** Makes one attempt. The answer to a message with a secret is not kept, since it may repeat that. */
const deliver = async (
  space: Space,
  webhook: number,
  claimed: ClaimedDelivery,
  policy: DeliveryPolicy,
): Promise<void> => {
  const message = createMessage(space, claimed, policy);
  const attempt = message ? await policy.sender.send(claimed.url, message, claimed.secrets) : gone;
  const kept = claimed.event === invitationSent ? { ...attempt, response: null } : attempt;
  const result = judgeAttempt(kept, claimed, policy);
  await recordAttempt(space, claimed, message ? result : { ...result, state: 'given_up' });
  if (attempt.status === 410) await disableWebhook(space, webhook, 'the receiver answered 410: gone');
  else if (result.state !== 'delivered') await disableWhenFailing(space, webhook, policy.disableAfter);
};

/** Sends due deliveries of a webhook. It ends early when `signal` aborts; attempts under way are finished. */
export const deliverWebhook = async (
  space: Space,
  webhook: number,
  policy: DeliveryPolicy,
  signal: AbortSignal,
): Promise<void> => {
  const end = performance.now() + maxJobMs - policy.timeout * 1000;
  const running = new Set<Promise<void>>();
  let failure: unknown;
  try {
    for (;;) {
      if (signal.aborted || performance.now() > end || failure) break;
      const claimed = await claimDeliveries(space, webhook, policy.timeout + leaseMargin);
      for (const one of claimed) {
        const work: Promise<void> = deliver(space, webhook, one, policy)
          .catch((error) => {
            failure = error;
          })
          .finally(() => running.delete(work));
        running.add(work);
      }
      if (running.size === 0) break;
      await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (failure) throw failure;
};
