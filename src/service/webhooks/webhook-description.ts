import type { OpenAPIV3_1 } from 'openapi-types';
import { type WebhookEvent, webhookEvents } from './webhook.ts';

const when: Readonly<Record<WebhookEvent, string>> = {
  'call.ringing': 'A call rings.',
  'call.answered': 'Somebody has answered a call.',
  'call.ended': 'A call that was answered is over.',
  'call.missed': 'A call is over, and nobody has answered it.',
  'call_back.taken': 'A user calls somebody back.',
  'call_back.released': 'The user does not.',
  'call_back.done': 'A user says that nothing is left to do.',
  'call_back.reopened': 'A user says that there is something left to do.',
  'call_back.talked': 'A bridge has seen that a colleague talked with somebody who was missed.',
  'call_back.tried': 'A colleague called somebody who was missed, and reached nobody.',
  'call_back.remind': 'A user wants to be reminded of somebody.',
  'note.added': 'A user wrote a note.',
  'note.changed': 'A user changed a note, or a number was removed from it.',
  'note.removed': 'A user removed a note.',
  'customer.added': 'There is a new customer.',
  'customer.changed': 'A customer was changed, or written again.',
  'customer.removed': 'A customer was removed.',
};

const schemaOf = (type: WebhookEvent) => {
  const of = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  if (type === 'customer.removed') return of('RemovedCustomer');
  const names = { call: 'Call', call_back: 'CallBackAction', note: 'NoteOfEvent', customer: 'Customer' };
  return of(names[type.split('.')[0] as keyof typeof names]);
};

const header = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});
const headers = [
  header('webhook-id', 'The same each time an event is sent: know events by it that you have had.'),
  header('webhook-timestamp', 'When this request was sent, Unix seconds.'),
  header('webhook-signature', 'By Standard Webhooks, with the secret of the webhook.'),
];
const callHeaders = [
  ...headers,
  header(
    'webhook-call-id',
    'The `id` of the call, to find it in logs, also if a template leaves it out of the body. Not signed. What is not visible ASCII is percent-encoded; cut after 255 characters.',
  ),
];

/** What the receivers of webhooks get, for the OpenAPI document. */
export const describedWebhooks: NonNullable<OpenAPIV3_1.Document['webhooks']> = Object.fromEntries(
  webhookEvents.map((type) => [
    type,
    {
      post: {
        operationId: type,
        summary: when[type],
        description:
          'A webhook with a template of its own gets what that makes of this; every webhook gets the headers, and those of its own.',
        security: [],
        parameters: type.startsWith('call.') ? callHeaders : headers,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  type: { type: 'string', const: type },
                  timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
                  data: schemaOf(type),
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
