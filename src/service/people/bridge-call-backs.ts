import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import {
  bridgeCallBacksPath,
  callBackOutcomeSchema,
  e164,
  mostWaiting,
} from '../../shared/api/contract/bridge-call-backs.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import { bridgeReportRoute } from '../history/bridge-report.ts';
import type { InTurn } from '../history/in-turn.ts';
import { send } from '../history/responder.ts';
import type { CallBackList } from './call-back-list.ts';
import { type CallBack, calledBackAt, endOf } from './call-backs.ts';
import type { CallerStore } from './caller-store.ts';
import { LISTED_MS } from './missed-people.ts';

type Parts = {
  readonly callBackList: Pick<CallBackList, 'waiting' | 'read' | 'act'>;
  readonly store: { readonly callers: Pick<CallerStore, 'hasReport' | 'isTriedOut'> };
};

/**
 * Gives bridges the numbers that wait for a call back (CALL_BACKS), and takes what became of calls to them. Neither is in the
 * request history.
 */
export function bridgeCallBacksRoutes(
  app: FastifyInstance,
  { callBackList, store }: Parts,
  inTurn: InTurn,
): void {
  app.get<{ Querystring: { known?: string } }>(bridgeCallBacksPath, (request, reply) =>
    inTurn('read', request, reply, async () => {
      const { known } = request.query;
      const numbers = waitingNumbers(await callBackList.waiting((request.sender as Sender).account.id));
      const version = createHash('sha256').update(numbers.join()).digest('base64url');
      return send(reply, 200, JSON.stringify(known === version ? { version } : { version, numbers }));
    }),
  );

  const route = { path: bridgeCallBacksPath, schema: callBackOutcomeSchema };
  bridgeReportRoute(app, route, inTurn, async (outcome, { sender, receivedAt }) => {
    const { id: account } = (sender as Sender).account;
    const { id: report, number, ended_ago, talked, by = '' } = outcome;
    if (await store.callers.hasReport(account, report)) return { taken: true };
    const [person] = (await callBackList.read(account, [number])).people;
    const at = receivedAt - ended_ago * 1_000;
    const called =
      talked === undefined
        ? ({ kind: 'tried', at } as const)
        : ({ kind: 'talked', at, seconds: talked } as const);
    // A colleague may have pressed Done in the meantime, or the person has called again.
    if (person === undefined || person.closed !== null || person.since > calledBackAt(called))
      return { taken: false };
    const week = receivedAt - LISTED_MS;
    if (talked === undefined && (await store.callers.isTriedOut(account, number, week)))
      return { taken: false };
    await callBackList.act(account, {
      ...called,
      number,
      user: by,
      text: null,
      report,
    });
    return { taken: true };
  });
}

/** Of very many, those that were missed last. Others than E.164 (an extension, say) could be anybody's. */
function waitingNumbers(people: readonly CallBack[]): string[] {
  return people
    .toSorted((a, b) => endOf(b) - endOf(a))
    .flatMap(({ numbers }) => numbers.filter((number) => e164.safeParse(number).success))
    .slice(0, mostWaiting);
}
