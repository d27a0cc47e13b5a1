import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../shared/log/log.ts';
import { appOn, directoryOf, keys } from '../app/app.fixture.ts';
import type { Store } from '../database/store.ts';
import type { RecordedRequest } from './request-store.ts';

const integration = {
  id: 2,
  uid: '1'.repeat(16),
  account: 1,
  name: 'PBX',
  tokenCounter: 1,
  oldTokenUntil: null,
  enabled: true,
  createdAt: 0,
};

/** The application on a store whose disk can be made to fail. */
async function application() {
  const disk = { full: false, accountIsGone: false };
  const recorded: RecordedRequest[] = [];
  const said: string[] = [];
  const log: Log = { say: (code) => void said.push(code), child: () => log };
  const store = {
    directory: directoryOf(integration),
    requests: {
      record: async (request: RecordedRequest) => {
        if (disk.accountIsGone) throw new Error('FOREIGN KEY constraint failed');
        if (disk.full) throw new Error('database or disk is full');
        recorded.push(request);
        return { moved: request.event !== null };
      },
    },
    customers: { priorityOf: async () => ({ name: 'Ann', segment: 'VIP', priority: 3 }) },
  } as unknown as Store;
  const { app } = await appOn(store, log);
  const ask = (url: string) =>
    app.inject({
      url: `/api/v1${url}`,
      headers: { authorization: `Bearer ${keys.integrationToken(integration)}`, accept: 'application/json' },
    });
  return { ask, disk, recorded, said };
}

const event = '/voice/call?id=1&direction=inbound&status=ringing&from=110';

test('while nothing can be stored, events get a 503 and lookups work; the outage is logged once [not-stored]', async () => {
  const { ask, disk, recorded, said } = await application();
  disk.full = true;
  for (let n = 0; n < 3; n += 1) {
    const refused = await ask(event);
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '5']);
    assert.deepEqual(refused.json(), { message: 'The event could not be stored. Send it again.' });
  }
  const lookup = await ask('/voice/priority?number=110');
  assert.deepEqual([lookup.statusCode, lookup.json()], [200, { priority: 3, segment: 'VIP', name: 'Ann' }]);
  assert.equal((await ask('/voice/call?id=1')).statusCode, 422);
  disk.full = false;
  assert.equal((await ask(event)).statusCode, 200);
  assert.deepEqual(said, ['service.not-stored', 'service.unavailable', 'service.storing-again']);
  assert.equal(recorded.length, 1);
});

test('an event whose account was removed, which this process does not know yet, is not authenticated; nothing is wrong', async () => {
  const { ask, disk, recorded, said } = await application();
  disk.accountIsGone = true;
  const refused = await ask(event);
  assert.deepEqual([refused.statusCode, refused.json()], [401, { message: 'Unauthenticated.' }]);
  assert.equal((await ask('/voice/priority?number=110')).statusCode, 200);
  assert.deepEqual([said, recorded], [[], []]);
});
