import type { FastifyInstance } from 'fastify';
import {
  bridgeCallsPath,
  type HeldCalls,
  heldCallsQuerySchema,
} from '../../shared/api/contract/bridge-calls.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import type { CallStore } from '../calls/call-store.ts';
import { refuseReport } from '../history/bridge-report.ts';
import type { InTurn } from '../history/in-turn.ts';
import { send } from '../history/responder.ts';

/** Calls of the account that are looked at for a page: those of its other integrations are left out of it. */
const PAGE_CALLS = 2_000;

type Parts = {
  readonly store: { readonly calls: Pick<CallStore, 'byId'> };
  readonly callsKeptMs: number | undefined;
};

/** Lists the ids of the integration's calls with their states, for a certificate. Not in the request history. */
export function heldCallsRoute(app: FastifyInstance, { store, callsKeptMs }: Parts, inTurn: InTurn): void {
  app.get(bridgeCallsPath, (request, reply) => {
    const { account, integration } = request.sender as Sender;
    const { success, data } = heldCallsQuerySchema.safeParse(request.query);
    if (!success) return refuseReport(reply, bridgeCallsPath);
    return inTurn('read', request, reply, async () => {
      const calls = await store.calls.byId(account.id, data, PAGE_CALLS);
      const page: HeldCalls = {
        calls: calls.flatMap(({ id, status, integration: of }) =>
          of === integration.id ? [{ id, status }] : [],
        ),
        next: calls.length < PAGE_CALLS ? null : (calls.at(-1)?.id ?? null),
        since: callsKeptMs === undefined ? null : request.receivedAt - callsKeptMs,
      };
      return send(reply, 200, JSON.stringify(page));
    });
  });
}
