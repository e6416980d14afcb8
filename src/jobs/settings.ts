// What the settings say of webhooks.
import type { Config } from '../config.ts';

/** Where webhooks may be sent, and how long an attempt takes at most. */
export const readSenderOptions = (config: Config) => ({
  allowsPrivate: config.WEBHOOK_PRIVATE_ADDRESSES,
  timeoutMs: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
});

/** In seconds: how long webhooks are tried. */
export const readDeliveryPolicy = (config: Config) => ({
  timeout: config.WEBHOOK_TIMEOUT_SECONDS,
  firstPause: config.WEBHOOK_RETRY_SECONDS,
  giveUpAfter: config.WEBHOOK_RETRY_DAYS * 86_400,
  disableAfter: config.WEBHOOK_DISABLE_DAYS * 86_400,
  invitationUrl: config.INVITATION_URL,
});
