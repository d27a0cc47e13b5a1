import { type Log, silentLog } from '../../shared/log/log.ts';
import { openDirectory } from '../accounts/directory.ts';
import type { Integration } from '../accounts/directory-store.ts';
import { makeKeys } from '../accounts/keys.ts';
import { makeScreens } from '../calls/screens.ts';
import type { Store } from '../database/store.ts';
import { createAccountTurns } from '../kit/account-turns.ts';
import { makeBudgets, makeRateLimit } from '../kit/budget.ts';
import { makeCallBackList } from '../people/call-back-list.ts';
import { makeMeter } from '../upkeep/meter.ts';
import { makeAccess } from '../users/access.ts';
import { makeSessions } from '../users/sessions.ts';
import { buildApp } from './app.ts';

export const keys = makeKeys(Buffer.alloc(32, 1));

/** The directory of a store that has the accounts 1 and 2, with these integrations. */
export function directoryOf(...integrations: Integration[]) {
  const account = {
    ...{ id: 1, uid: '0'.repeat(16), name: 'A', country: null, timeZone: null, tokenCounter: 1 },
    ...{ requestsPerMinute: null, openingHours: null },
  };
  const siteTokens = { operator: 0, fleet: 0 };
  const second = { ...account, id: 2, uid: '9'.repeat(16), name: 'B' };
  const directory = { siteTokens, accounts: [account, second], integrations, extensions: new Map() };
  return { read: async () => ({ version: 1, directory }) };
}

/** The application on a store of the test's own. */
export async function appOn(store: Store, log: Log = silentLog) {
  const clock = () => 7;
  const screens = makeScreens();
  const sessions = makeSessions(store.users, clock);
  const app = await buildApp(
    {
      ...{
        store,
        keys,
        screens,
        sessions,
        clock,
        log,
        mailer: undefined,
        perMinute: null,
        rateLimit: makeRateLimit(),
      },
      directory: await openDirectory(store, keys),
      callBackList: makeCallBackList(store.callers, screens, clock, undefined, async (account) =>
        (await store.users.list(account)).map(({ name }) => name),
      ),
      access: makeAccess(store.users, keys, [], clock, log),
      ...{
        budgets: makeBudgets(),
        turns: createAccountTurns(),
        meter: makeMeter(),
        webhooks: { poke: () => {} },
        webhookNetworks: [],
      },
      observed: { stored: () => {}, failedAt: () => null },
      linkOrigin: () => 'http://127.0.0.1',
    },
    { trustedProxies: [], hosts: [], requestTimeoutMs: 1000 },
  );
  return { app, screens };
}
