import type { OpenAPIV3_1 } from 'openapi-types';

const refused = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

const beat = `event: beat
data: {"now":1763629200000}

`;
const example = `retry: 1000
event: calls
data: {"now":1763629185000,"calls":[],"missed":[],"count":0,"more":false}

event: call
data: {"id":"pbx-1763629190.42","status":"ringing","from":"030 1234567","number":"+49301234567","number_shown":"+49 30 1234567","customer":null,"segment":"VIP","priority":10,"caller_id":null,"started_at":1763629190123,"ringing_at":1763629190123,"answered_at":null,"completed_at":null,"missed":null}

${beat}`;

/** `GET /events` of event-routes.ts, for the OpenAPI document: no schema of a route can say what a stream is. */
export const eventStreamPath: OpenAPIV3_1.PathItemObject = {
  get: {
    servers: [{ url: '/' }],
    operationId: 'streamCalls',
    summary: "Follow the account's calls live",
    description: `Server-sent events (\`text/event-stream\`), each with one line of JSON, for a screen of your own. A lost connection begins again: what
happened in between is not sent, but the first event says what is now. A program that must not miss an event reads
\`GET /admin/events\` or has a webhook.

| event | data |
|---|---|
| \`calls\` | the first: all open calls (\`calls\`), and the time of the service (\`now\`, Unix milliseconds) |
| \`call\` | a call that has moved, as it is now: \`id\`, \`status\`, \`from\`, \`number\`, \`segment\`, \`priority\`, \`caller_id\`, and times in Unix milliseconds |
| \`beat\` | every few seconds: the connection is alive |

Other events, and other fields, may be added. With an integration token, names and customers are null: a phone system does not
need them.`,
    responses: {
      200: {
        description: 'The stream. It ends when the token is replaced or switched off.',
        content: { 'text/event-stream': { schema: { type: 'string' }, example } },
      },
      401: refused('The token is missing or not valid.'),
      429: refused('50 streams of the token, or 500 of the account, are open.'),
    },
  },
};
