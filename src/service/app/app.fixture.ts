import { type Log, silentLog } from '../../shared/log/log.ts';
import type { Integration } from '../accounts/account.ts';
import { openDirectory } from '../accounts/directory.ts';
import { createKeys } from '../accounts/keys.ts';
import type { Session, User } from '../accounts/user.ts';
import { createScreens } from '../calls/screens.ts';
import type { Store } from '../database/store.ts';
import { createAccountTurns } from '../kit/account-turns.ts';
import { createBudgets, createRateLimit } from '../kit/budget.ts';
import { createCallBackList } from '../people/call-back-list.ts';
import { createMeter } from '../upkeep/meter.ts';
import { createAccess } from '../users/access.ts';
import { createSessions } from '../users/sessions.ts';
import { buildApp } from './app.ts';

/** An administrator of the first account, signed in. */
export const user: User = {
  id: 1,
  uid: '1'.repeat(16),
  account: 1,
  name: 'Ann',
  signInName: 'ann',
  role: 'administrator',
  language: 'en',
  password: 'x',
  secondFactor: null,
  createdAt: 0,
  linkCounter: 0,
  bar: null,
};
export const session: Session = { id: 's', user, openedAt: 0, usedAt: 0, address: '', browser: '' };

export const keys = createKeys(Buffer.alloc(32, 1));

/** Of the account 1. */
export const phoneSystem: Integration = {
  id: 1,
  uid: '1'.repeat(16),
  account: 1,
  name: 'PBX',
  tokenCounter: 1,
  oldTokenUntil: null,
  enabled: true,
  createdAt: 0,
};

/** The directory of a store that has the accounts 1 and 2, with these integrations. */
export function directoryOf(...integrations: Integration[]) {
  const account = {
    id: 1,
    uid: '0'.repeat(16),
    name: 'A',
    country: null,
    timeZone: null,
    tokenCounter: 1,
    requestsPerMinute: null,
    numbersKeptDays: null,
    openingHours: null,
  };
  const siteTokens = { operator: 0, fleet: 0 };
  const second = { ...account, id: 2, uid: '9'.repeat(16), name: 'B' };
  const directory = { siteTokens, accounts: [account, second], integrations, extensions: new Map() };
  return { read: async () => ({ version: 1, directory }) };
}

/** The application on a store of the test's own. */
export async function appOn(store: Store, log: Log = silentLog) {
  const clock = () => 7;
  const screens = createScreens();
  const sessions = createSessions(store.users, clock);
  const app = await buildApp(
    {
      store,
      keys,
      screens,
      sessions,
      clock,
      log,
      mailer: undefined,
      webPush: { publicKey: '', send: async () => 'sent' },
      noticeSender: { canSend: () => false, send: async () => {}, test: async () => {} },
      perMinute: null,
      callsKeptMs: undefined,
      rateLimit: createRateLimit(),
      directory: await openDirectory(store, keys),
      callBackList: createCallBackList(store.callers, screens, clock, undefined, async (account) =>
        (await store.users.list(account)).map(({ name }) => name),
      ),
      access: createAccess(store.users, keys, [], clock, log),
      budgets: createBudgets(),
      turns: createAccountTurns(),
      meter: createMeter(),
      webhooks: { poke: () => {} },
      webhookNetworks: [],
      observed: { stored: () => {}, failedAt: () => null },
      linkOrigin: () => 'http://127.0.0.1',
    },
    { trustedProxies: [], hosts: [] },
  );
  return { app, screens };
}
