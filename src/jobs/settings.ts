// The settings of webhooks, as jobs take them.
import type { Config } from '../config/config.ts';

/** The addresses that webhooks may have, and the time of an attempt. */
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
