import { type Log, silentLog } from '../../log/log.ts';
import { makeAccess } from '../access/access.ts';
import { makeSessions } from '../access/sessions.ts';
import { openDirectory } from '../accounts/directory.ts';
import { makeKeys } from '../accounts/keys.ts';
import { makeCallBackList } from '../callers/call-back-list.ts';
import { makeScreens } from '../calls/screens.ts';
import type { Store } from '../store/store.ts';
import { buildApp } from './app.ts';
import { makeBudgets } from './budget.ts';
import { makeMeter } from './meter.ts';

export const keys = makeKeys(Buffer.alloc(32, 1));

/** The application on a store of the test's own. */
export async function appOn(store: Store, log: Log = silentLog) {
  const clock = () => 7;
  const screens = makeScreens();
  const sessions = makeSessions(store.users, clock);
  const app = await buildApp(
    {
      ...{ store, keys, screens, sessions, clock, log, mailer: undefined, rateLimit: null },
      directory: await openDirectory(store, keys),
      callBackList: makeCallBackList(store.callers, screens, clock),
      access: makeAccess({ users: store.users, keys, trustedProxies: [], clock, log }),
      ...{ budgets: makeBudgets(), meter: makeMeter(), webhooks: { poke: () => {} }, webhookNetworks: [] },
      observed: { stored: () => {} },
    },
    { trustedProxies: [], hosts: [], requestTimeoutMs: 1000 },
  );
  return { app, screens };
}
