import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../shared/log/log.ts';
import type { Integration } from '../accounts/account.ts';
import { appOn, directoryOf, keys, phoneSystem } from '../app/app.fixture.ts';
import type { Store } from '../database/store.ts';
import type { RecordedRequest } from './request-store.ts';

const integration = { ...phoneSystem, id: 2 };

const other = { ...integration, id: 3, uid: '2'.repeat(16), account: 2 };

/** The application on a store whose disk can be made to fail. */
async function application() {
  const disk: { full: boolean; accountIsGone: boolean; stall?: Promise<void> } = {
    full: false,
    accountIsGone: false,
  };
  const recorded: RecordedRequest[] = [];
  const said: string[] = [];
  const log: Log = { say: (code) => void said.push(code), child: () => log };
  const store = {
    directory: directoryOf(integration, other),
    requests: {
      record: async (request: RecordedRequest) => {
        await disk.stall;
        if (disk.accountIsGone) throw new Error('FOREIGN KEY constraint failed');
        if (disk.full) throw new Error('database or disk is full');
        recorded.push(request);
        return { moved: request.event !== null };
      },
    },
    customers: { whoCalls: async () => ({ name: 'Ann', segment: 'VIP', priority: 3 }) },
  } as unknown as Store;
  const { app } = await appOn(store, log);
  const ask = (url: string, by: Integration = integration) =>
    app.inject({
      url: `/api/v1${url}`,
      headers: { authorization: `Bearer ${keys.integrationToken(by)}`, accept: 'application/json' },
    });
  return { ask, disk, recorded, said };
}

test('the history keeps the beginning of the address of a refused request, and no text that is too long as its call', async () => {
  const { ask, recorded } = await application();
  const long = 'x'.repeat(10_000);
  for (const url of [
    `/${long}`,
    `/${long}?${long}`,
    `/voice/call?id=${long}`,
    `/voice/priority?number=${long}`,
  ]) {
    const { statusCode } = await ask(url);
    assert.ok(statusCode === 404 || statusCode === 422, `${statusCode} ${url.slice(0, 20)}`);
    const { path, request, callId, fromNumber } = recorded.at(-1) ?? assert.fail();
    assert.ok(path.length + request.length <= 2 * 2_048, url.slice(0, 20));
    assert.ok([path, request].some((text) => typeof text === 'string' && text.endsWith('x…')));
    assert.deepEqual([callId, fromNumber], [null, null]);
  }
  await ask('/voice/call?id=77&from=110');
  assert.deepEqual([recorded.at(-1)?.callId, recorded.at(-1)?.fromNumber], ['77', '110']);
});

test('requests of one account that wait for the disk do not make those of another wait', async () => {
  const { ask, disk, recorded } = await application();
  const stalled = Promise.withResolvers<void>();
  disk.stall = stalled.promise;
  const lookup = '/voice/priority?number=110';
  for (let n = 0; n < 1_000; n += 1) assert.equal((await ask(lookup)).statusCode, 200);
  let isAnswered = false;
  const waiting = ask(lookup).then(({ statusCode }) => {
    isAnswered = true;
    return statusCode;
  });
  assert.equal((await ask(lookup, other)).statusCode, 200);
  assert.equal(isAnswered, false);
  stalled.resolve();
  assert.equal(await waiting, 200);
  assert.equal(recorded.length, 1_002);
});

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
  assert.equal(lookup.statusCode, 200);
  assert.partialDeepStrictEqual(lookup.json(), { priority: 3, segment: 'VIP', name: 'Ann' });
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
