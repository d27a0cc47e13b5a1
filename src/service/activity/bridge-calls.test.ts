import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { StoreUnavailable } from '../../shared/storage/storage-error.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import { bridgeCallsRoute } from './bridge-calls.ts';

test('a report that other processes did not get is not answered as taken', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  let isReachable = false;
  app.addHook('onRequest', async (request) => {
    Object.assign(request, { sender: { account: { id: 1 } } as Sender, receivedAt: 5 });
  });
  const seen: unknown[] = [];
  bridgeCallsRoute(
    app,
    {
      screens: { who: (...told) => void seen.push(told) },
      store: {
        otherProcesses: {
          async tellWho() {
            if (!isReachable) throw new StoreUnavailable('no connection');
          },
        },
      },
    },
    async (_turn, _request, _reply, work) => work(),
  );
  const calls = [{ id: 'c', rings: ['101'], talks: [] }];
  const report = async () =>
    (await app.inject({ method: 'POST', url: '/bridge/calls', payload: { calls } })).statusCode;
  assert.equal(await report(), 500);
  isReachable = true;
  assert.equal(await report(), 200);
  assert.deepEqual(seen, Array(2).fill([1, calls, 5]), 'screens of this process have it at once');
});
