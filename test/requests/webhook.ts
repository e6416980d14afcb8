// A valid request for every operation on webhooks.
import type { Fields } from './ids.ts';

export const webhookFields: Fields = {
  webhooks: () => ({ first: 5 }),
  webhook: ({ webhooks }) => ({ id: webhooks }),
  webhookDeliveries: () => ({ first: 5 }),
  webhookDelivery: ({ webhook_deliveries }) => ({ id: webhook_deliveries }),
  createWebhook: ({ turn }) => ({
    input: {
      name: `Webhook ${turn}`,
      url: 'https://example.org/hooks',
      events: ['CONTACT_UPDATED'],
      fields: ['email'],
    },
  }),
  updateWebhook: ({ webhooks, turn }) => ({ input: { id: webhooks, name: `Webhook ${turn}` } }),
  deleteWebhook: ({ webhooks }) => ({ input: { id: webhooks } }),
  rotateWebhookSecret: ({ webhooks }) => ({ input: { id: webhooks } }),
  testWebhook: ({ webhooks }) => ({ input: { id: webhooks } }),
  replayWebhookDeliveries: ({ webhook_deliveries }) => ({ input: { ids: [webhook_deliveries] } }),
};
