import { z } from 'zod';
import { missedPlaces } from '../../shared/api/contract/call-extras.ts';
import { oneOf } from '../../shared/api/contract/text.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import type { Account } from '../accounts/account.ts';
import type { AdminAccess } from '../accounts/admin-access.ts';
import { integrationName, type ServiceDirectory } from '../accounts/directory.ts';
import type { CallFilter } from '../calls/call-conditions.ts';
import { callData, callSchema } from '../calls/call-data.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { type CallStore, noFilter } from '../calls/call-store.ts';
import {
  atAndId,
  cursorText,
  filterText,
  listOperation,
  momentField,
  msOf,
  placeIn,
} from '../kit/admin-list.ts';
import { operation, type ZodInstance } from '../kit/administration.ts';
import { Refusal } from '../kit/refusal.ts';

const listedCall = callSchema
  .extend({
    past: z.boolean().describe('From the records of before there was a bridge (`backfill`).'),
    updated_at: z.int().describe('When the last event that changed it arrived, Unix milliseconds.'),
  })
  .meta({ id: 'ListedCall' });

const operations = {
  list: listOperation(
    'listCalls',
    'List calls: the newest first, or with `updated_since` those that changed, in the order of their last change',
    listedCall,
    {
      updated_since: momentField('updated_since')
        .optional()
        .describe(
          'Changed then or later. To follow all calls, go on to the last page, and then begin again with the `updated_at` of the last call that you have, less some seconds.',
        )
        .meta({ examples: ['2026-11-20T09:00:00Z'] }),
      started_since: momentField('started_since').optional().describe('Began then or later.'),
      started_until: momentField('started_until').optional().describe('Began before.'),
      number: filterText('number')
        .optional()
        .describe('Of the caller.')
        .meta({ examples: ['+49301234567'] }),
      customer: filterText('customer').optional().describe('By reference.'),
      segment: filterText('segment').optional().describe('By name.'),
      extension: filterText('extension').optional().describe('Who answered, as in `caller_id`.'),
      number_called: filterText('number_called').optional(),
      integration: filterText('integration').optional().describe('The `uid` of the phone system.'),
      outcome: oneOf('outcome', ['open', 'answered', 'missed', 'short'])
        .optional()
        .describe('`short`: missed within five seconds. Open calls may be answered already.'),
      missed_where: oneOf('missed_where', missedPlaces).optional(),
    },
  ),
  get: operation('readCall', 'Read a call', {
    by: z.object({ id: z.string() }),
    response: { 200: listedCall, 304: z.null().describe('It has not changed.') },
  }),
};

type Parts = AdminAccess & {
  readonly store: { readonly calls: CallStore };
  readonly directory: ServiceDirectory;
};

/** An account's calls. */
export function adminCallRoutes(app: ZodInstance, parts: Parts): void {
  const { store, directory, accountOf } = parts;
  const view = ({ id, country }: Pick<Account, 'id' | 'country'>, call: CallRecord) => {
    const integration = integrationName(directory, id, call.integration);
    const { past, updatedAt: updated_at } = call;
    return { ...callData(call, directory.extensions(id), integration, country), past, updated_at };
  };

  app.get('/calls', operations.list, async (request) => {
    const account = accountOf(request);
    const { cursor, limit, ...asked } = request.query;
    const filter = filterOf(asked, account.country, directory.integrations(account.id));
    const isNews = filter.updatedSince !== null;
    const [list, towards] = isNews ? (['changed calls', 'newer'] as const) : (['calls', 'older'] as const);
    const from = placeIn(list, cursor, atAndId);
    const { calls, next } = await store.calls.page({ account: account.id, filter, towards, from, limit });
    return {
      data: (isNews ? calls.toReversed() : calls).map((call) => view(account, call)),
      next: next && cursorText(list, [next.at, next.id]),
    };
  });
  app.get('/calls/:id', operations.get, async (request) => {
    const account = accountOf(request);
    const call = await store.calls.get(account.id, request.params.id);
    if (call === undefined) throw new Refusal(404, 'There is no such call.');
    return view(account, call);
  });
}

type Asked = Omit<z.output<typeof operations.list.schema.querystring>, 'limit' | 'cursor'>;

function filterOf(
  asked: Asked,
  country: string | null,
  integrations: readonly { readonly id: number; readonly uid: string }[],
): CallFilter {
  const { number, customer, extension, segment, integration, number_called: called } = asked;
  const system = integrations.find(({ uid }) => uid === integration);
  if (integration !== undefined && system === undefined)
    throw new Refusal(422, 'The integration field names no phone system of the account.');
  const compared = (one: string) => normaliseNumber(one, country) || one;
  return {
    ...noFilter,
    number: number === undefined ? null : { is: compared(number) },
    customer: customer === undefined ? null : { is: customer },
    extensions: extension === undefined ? null : [extension],
    segment: segment ?? null,
    integration: system?.id ?? null,
    numberCalled: called === undefined ? null : compared(called),
    place: asked.missed_where ?? null,
    outcome: asked.outcome ?? null,
    since: msOf(asked.started_since),
    until: msOf(asked.started_until),
    updatedSince: msOf(asked.updated_since),
  };
}
