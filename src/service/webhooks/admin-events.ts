import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { errorSchema } from '../../shared/api/contract/errors.ts';
import type { AdminAccess, AdminRequest } from '../accounts/admin-access.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { callSchema } from '../calls/call-data.ts';
import type { AccountTurns } from '../kit/account-turns.ts';
import { countField, cursorField, cursorText, notModified, placeIn } from '../kit/admin-list.ts';
import { moment, operation, type ZodInstance } from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { closedWith } from '../kit/closed-with.ts';
import { isHead } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import type { CallEventStore, EventCursor } from './call-event-store.ts';
import { createEventWaiters } from './event-waiters.ts';
import { type PersonKind, personSchemas } from './person-event-data.ts';
import { callEvents, noFilter, type PersonEventName, personEvents } from './webhook.ts';
import { wantsEvent } from './webhook-filter.ts';
import { eventOf, tellingOf } from './webhook-message.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Seconds. Proxies between programs and the service give up after a minute. */
const MAX_WAIT = 50;
const [MAX_LIMIT, LIMIT] = [500, 100];

const eventSchema = <Name extends string, Data extends z.ZodType>(
  id: string,
  types: readonly [Name, ...Name[]],
  data: Data,
) =>
  z
    .object({
      cursor: z.string().describe('The place after this event.'),
      type: z.enum(types),
      timestamp: moment,
      data,
    })
    .meta({ id });
const ofKind = <Kind extends PersonKind>(kind: Kind) =>
  personEvents.filter((event) => event.startsWith(`${kind}.`)) as [
    Extract<PersonEventName, `${Kind}.${string}`>,
  ];
const anyEvent = z.union([
  eventSchema('CallEvent', callEvents, callSchema.describe('The call as it was then.')),
  eventSchema('CallBackEvent', ofKind('call_back'), personSchemas.call_back),
  eventSchema('NoteEvent', ofKind('note'), personSchemas.note),
  eventSchema('CustomerEvent', ofKind('customer'), personSchemas.customer),
]);

const read = operation(
  'readEvents',
  'Read the events that webhooks get, of calls, call backs, notes and customers, in order, from where you are; with `wait`, as soon as there are any',
  {
    querystring: z.strictObject({
      after: cursorField
        .optional()
        .describe(
          'The `cursor` of the last answer, or of the last event that you have dealt with. Without it, the answer has no events, and the cursor of now. Save the cursor: each event after it comes at least once, also after months.',
        ),
      wait: countField('wait', { min: 0, max: MAX_WAIT })
        .default(0)
        .describe('Seconds to wait for an event if there is none.'),
      limit: countField('limit', { min: 1, max: MAX_LIMIT }).default(LIMIT).describe('How many at most.'),
    }),
    response: {
      200: z.object({
        events: z.array(anyEvent),
        cursor: z.string().describe('What to send as `after` the next time.'),
      }),
      304: notModified,
      410: errorSchema.describe(
        'Events after the cursor have been deleted by their age, or the database is an older copy. Begin without a cursor, and read what you missed with `listCalls` and `updated_since`.',
      ),
    },
  },
);

type Parts = AdminAccess & {
  readonly store: { readonly webhooks: WebhookStore };
  readonly directory: ServiceDirectory;
  readonly turns: AccountTurns;
  readonly budgets: Budgets;
  readonly clock: () => number;
};

const place = z.tuple([z.int(), z.int()]).transform(([id, at]): EventCursor => ({ id, at }));
const textOf = ({ id, at }: EventCursor) => cursorText('events', [id, at]);

/** The events of an account for programs that no webhook reaches, such as those behind NAT. They keep their place themselves. */
export function adminEventRoutes(app: ZodInstance, parts: Parts): void {
  const waiters = createEventWaiters({
    newest: (accounts) => parts.store.webhooks.events.newest(accounts),
  });
  app.addHook('preClose', async () => waiters.end());
  parts.directory.onRemoved(({ accounts }) => {
    for (const account of accounts) waiters.end(account);
  });
  app.get('/events', { ...read, config: { waits: true } }, async (request, reply) => {
    const { after, ...asked } = request.query;
    const account = parts.accountOf(request).id;
    const { events } = parts.store.webhooks;
    const cursor = placeIn('events', after, place);
    if (cursor === null) return { events: [], cursor: textOf(await events.begin(account, parts.clock())) };
    if (!(await events.isKnown(account, cursor, parts.clock())))
      throw new Refusal(410, 'Events after this cursor are gone. Begin again without one.');
    const wait = isHead(request) ? 0 : asked.wait;
    return answer(request, reply, cursor, { ...asked, wait, waiters }, parts);
  });
}

type Asked = {
  readonly limit: number;
  /** Seconds. */
  readonly wait: number;
  readonly waiters: ReturnType<typeof createEventWaiters>;
};

async function answer(
  request: AdminRequest,
  reply: FastifyReply,
  cursor: EventCursor,
  { limit, wait, waiters }: Asked,
  parts: Parts,
) {
  const { id: account, country } = parts.accountOf(request);
  const { events } = parts.store.webhooks;
  let { found, next } = await nextEvents(events, account, cursor, limit);
  if (found.length === 0 && wait > 0) {
    const release = parts.budgets.waitingReads.take(account);
    parts.turns.end(reply); // others of the account need not wait, too
    await waiters.until({ account, after: next.id }, wait * 1000, closedWith(reply)).finally(release);
    if (!parts.isAuthentic(request)) throw new Refusal(401, 'Unauthenticated.');
    ({ found, next } = await nextEvents(events, account, next, limit));
  }
  return {
    events: found.flatMap((one) => {
      // What is gone by now is passed over.
      const told =
        wantsEvent(noFilter, one, country) && eventOf(one, tellingOf(parts.directory, account, one.call));
      return told ? [{ cursor: textOf(one), ...told } as z.input<typeof anyEvent>] : [];
    }),
    cursor: textOf(next),
  };
}

/** The next events, and the place behind them: behind those, too, whose calls are deleted. */
async function nextEvents(events: CallEventStore, account: number, after: EventCursor, limit: number) {
  // Read first: an event that comes now is behind it.
  const newest = await events.newestOf(account);
  const found = await events.after(account, after.id, limit);
  const last = found.at(-1) ?? after;
  const isPast = found.length < limit && newest !== undefined && newest.id > last.id;
  return { found, next: isPast ? newest : last };
}
