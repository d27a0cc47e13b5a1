import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { request } from 'undici';
import { silentLog } from '../../ops/log.ts';
import { buildApp } from '../app.ts';
import type { CallRecord } from '../call-record.ts';
import { openDirectory } from '../directory.ts';
import { makeKeys } from '../keys.ts';
import { makeScreens } from '../screens.ts';
import { sessionCookie } from '../sign-in.ts';
import type { Store } from '../store/store.ts';

const keys = makeKeys(Buffer.alloc(32, 1));
const uid = '0'.repeat(16);

const call = (id: string): CallRecord => ({
  id,
  status: 'ringing',
  from: '110',
  number: '110',
  customer: null,
  segment: null,
  priority: null,
  callerId: null,
  startedAt: 5,
  ringingAt: 5,
  answeredAt: null,
  completedAt: null,
  missed: null,
});

test('a call that moves while the open ones are read is told after them; nobody is left behind in the end', {
  timeout: 30_000,
}, async (t) => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<CallRecord[]>();
  const account = { id: 1, uid, name: 'A', country: null, tokenCounter: 1 };
  const store = {
    directory: { read: async () => ({ version: 1, directory: { accounts: [account], integrations: [] } }) },
    openCalls: () => {
      asked.resolve();
      return answer.promise;
    },
  } as unknown as Store;
  const screens = makeScreens();
  const app = await buildApp(
    {
      store,
      directory: await openDirectory(store, keys),
      keys,
      screens,
      rateLimit: null,
      clock: () => 7,
      log: silentLog,
    },
    { trustedProxies: [], requestTimeoutMs: 1000 },
  );
  t.after(() => app.close());
  const base = await app.listen({ port: 0, host: '127.0.0.1' });

  const stream = request(`${base}/events`, { headers: { cookie: sessionCookie(keys, uid, 0, false) } });
  await asked.promise;
  screens.publish(1, call('moved meanwhile'));
  screens.publish(2, call('of another account'));
  answer.resolve([call('open')]);
  const { body } = await stream;
  screens.publish(1, call('moved after'));
  body.setEncoding('utf8');
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    if (text.includes('moved after')) break;
  }
  assert.deepEqual(
    [...text.matchAll(/^event: (\w+)\ndata: .*?"id":"([^"]*)"/gm)].map(([, event, id]) => `${event}: ${id}`),
    ['calls: open', 'call: moved meanwhile', 'call: moved after'],
  );

  // The loop's end closed the connection; the service hears of it a moment later.
  while (screens.watched(1)) await setImmediate();
});
