import type { FastifyInstance } from 'fastify';
import { bridgeCallsPath, bridgeCallsSchema } from '../../shared/api/contract/bridge-calls.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import type { CallFeed } from '../calls/call-store.ts';
import type { Screens } from '../calls/screens.ts';
import { bridgeReportRoute } from '../history/bridge-report.ts';
import type { InTurn } from '../history/in-turn.ts';

type Parts = {
  readonly screens: Pick<Screens, 'who'>;
  readonly store: { readonly otherProcesses: Pick<CallFeed, 'tellWho'> };
};

/** Takes who rings and talks now, for the screens. Not in the request history, and not stored: the events of a call say it in the end. */
export function bridgeCallsRoute(app: FastifyInstance, { screens, store }: Parts, inTurn: InTurn): void {
  const route = { path: bridgeCallsPath, schema: bridgeCallsSchema };
  bridgeReportRoute(app, route, inTurn, async ({ calls }, { sender, receivedAt }) => {
    const { account } = sender as Sender;
    screens.who(account.id, calls, receivedAt);
    // If it fails, the bridge is not told that it is known, and tells again what is then.
    await store.otherProcesses.tellWho(account.id, calls);
    return {};
  });
}
