import type { OpenAPIV3_1 } from 'openapi-types';
import { type WebhookEvent, webhookEvents } from './webhook.ts';

const when: Readonly<Record<WebhookEvent, string>> = {
  'call.ringing': 'A call rings.',
  'call.answered': 'Somebody has answered a call.',
  'call.ended': 'A call that was answered is over.',
  'call.missed': 'A call is over, and nobody has answered it.',
};

const header = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});
const signature = [
  header('webhook-id', 'The same each time an event is sent: know events by it that you have had.'),
  header('webhook-timestamp', 'When this request was sent, Unix seconds.'),
  header('webhook-signature', 'By Standard Webhooks, with the secret of the webhook.'),
];

/** What the receivers of webhooks get, for the OpenAPI document. */
export const describedWebhooks: NonNullable<OpenAPIV3_1.Document['webhooks']> = Object.fromEntries(
  webhookEvents.map((type) => [
    type,
    {
      post: {
        operationId: type,
        summary: when[type],
        security: [],
        parameters: signature,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  type: { type: 'string', const: type },
                  timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
                  data: { $ref: '#/components/schemas/Call' },
                },
                required: ['type', 'timestamp', 'data'],
              },
            },
          },
        },
        responses: {
          '2XX': { description: 'The receiver has it. With any other answer it is sent again.' },
          410: { description: 'The service switches the webhook off.' },
        },
      },
    },
  ]),
);
