// Sends the due deliveries of one webhook, some at once, until none is due or its time is over.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  disableWhenFailing,
  recordAttempt,
} from '../data/event/delivery.ts';
import { describeChange, formatMessage, invitationSent, webhookTested } from '../data/event/events.ts';
import { disableWebhook } from '../data/event/webhook.ts';
import type { Space } from '../database/space.ts';
import { limits } from '../limits/limits.ts';
import type { Attempt, WebhookSender } from './webhook-send.ts';

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
  /** Writes the query of a segment as clients send it. */
  writeQuery(query: unknown): unknown;
}

/** In milliseconds: one job ends by then, so that other webhooks have their turn, and another goes on. */
const maxJobMs = 40_000;
/** In seconds: longer than an attempt, so that nobody else claims it meanwhile. */
const leaseMargin = 5;
/** In milliseconds: how often a job looks for due deliveries, and after how long without any it ends. */
const idle = { everyMs: 100, longestMs: 1500 };
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
  { id, event, change, types, invitation, created_at, with_values, record_id }: ClaimedDelivery,
  { invitationUrl, writeQuery }: DeliveryPolicy,
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
      // The same in a restored database; a change that gets this position there has another time.
      id: `msg_${space.id}_${change.position}_${Date.parse(change.created_at).toString(36)}`,
      body: formatMessage(
        event,
        new Date(change.created_at),
        describeChange(change, with_values, { types, writeQuery }),
      ),
    }
  );
};

/** The result of an attempt for its delivery. A receiver that is gone for good says 410. */
const judgeAttempt = (
  attempt: Attempt,
  { attempts, age }: ClaimedDelivery,
  { firstPause, giveUpAfter }: DeliveryPolicy,
): AttemptResult => {
  const { status, error, response, milliseconds, retryAfter } = attempt;
  const facts = { status, error, response, milliseconds };
  if (!error && status! >= 200 && status! < 300) return { ...facts, state: 'delivered', pause: 0 };
  const pause = computePause(attempts, firstPause, retryAfter);
  const isOver = status === 410 || age + pause > giveUpAfter;
  return { ...facts, state: isOver ? 'given_up' : 'waiting', pause };
};

/** The result of an attempt that is not made. */
const skip = (error: string): Attempt => ({ status: null, error, response: null, milliseconds: 0, retryAfter: null });
const gone = skip('what it was about is no longer kept');
const refused = skip('the user who created the webhook, or the one who last changed it, may not read this any more');
const unwanted = skip('the webhook does not ask for this event any more');

/** Makes one attempt. The answer to a message with a secret is not kept, since it may repeat that. */
const deliver = async (
  space: Space,
  webhook: number,
  claimed: ClaimedDelivery,
  policy: DeliveryPolicy,
): Promise<void> => {
  const isSent = claimed.is_allowed && claimed.is_wanted;
  const message = isSent ? createMessage(space, claimed, policy) : undefined;
  const skipped = isSent ? gone : claimed.is_wanted ? refused : unwanted;
  const attempt = message ? await policy.sender.send(claimed.url, message, claimed.secrets) : skipped;
  const kept = claimed.event === invitationSent ? { ...attempt, response: null } : attempt;
  const result = judgeAttempt(kept, claimed, policy);
  await recordAttempt(space, claimed, { ...result, wasSent: !!message, ...(!message && { state: 'given_up' }) });
  if (attempt.status === 410) await disableWebhook(space, webhook, 'the receiver answered 410: gone', claimed.url);
  else if (message && result.state !== 'delivered') await disableWhenFailing(space, webhook, policy.disableAfter);
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
  let lastClaim = performance.now();
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
      const now = performance.now();
      if (claimed.length > 0) lastClaim = now;
      if (running.size === 0 && now - lastClaim > idle.longestMs) break;
      // Deliveries that become due meanwhile do not wait for a receiver that hangs.
      await Promise.race([...running, sleep(idle.everyMs)]);
    }
  } finally {
    await Promise.all(running);
  }
  if (failure) throw failure;
};
