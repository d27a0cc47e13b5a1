import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '../../../test/tools/until.ts';
import type { Session } from '../accounts/user.ts';
import { appOn, directoryOf } from '../app/app.fixture.ts';
import { type CallRecord, noExtras } from '../calls/call-record.ts';
import type { Store } from '../database/store.ts';

const uid = '0'.repeat(16);

const call = (id: string): CallRecord => ({
  id,
  integration: 1,
  status: 'ringing',
  from: '110',
  number: '110',
  extras: noExtras,
  customer: null,
  segment: null,
  priority: null,
  callerId: null,
  missed: null,
  startedAt: 5,
  ringingAt: 5,
  answeredAt: null,
  completedAt: null,
  updatedAt: 0,
  closedFrom: null,
  past: false,
  rang: null,
  talked: null,
});

/** A service whose store has one account and gives its open calls when the test lets it. */
async function serve(t: TestContext) {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<CallRecord[]>();
  const user = {
    id: 1,
    uid,
    account: 1,
    name: 'Ann',
    signInName: 'ann',
    role: 'administrator' as const,
    language: '',
    password: null,
    secondFactor: null,
    createdAt: 0,
    linkCounter: 0,
    bar: null,
  };
  const session: Session = { id: 's', user, openedAt: 0, usedAt: 0, address: '', browser: '' };
  const stored = { newestEntry: 1 };
  const store = {
    directory: directoryOf(),
    requests: { use: async () => [], search: async () => ({ entries: [{ id: stored.newestEntry }] }) },
    users: { session: async () => session, list: async () => [user] },
    calls: { page: async () => ({ calls: [], next: null, back: null }) },
    customers: { callerFacts: async () => ({ last: null, note: null, missed: 0 }) },
    callers: {
      missedCallers: async () => ({ callers: [], more: false }),
      promises: async () => [],
      actions: async () => [],
      newestNotes: async () => [],
    },
    openCalls: () => {
      asked.resolve();
      return answer.promise;
    },
  } as unknown as Store;
  const { app, screens } = await appOn(store);
  t.after(() => app.close());
  const base = await app.listen({ port: 0, host: '127.0.0.1' });
  const watch = (path: string) => fetch(base + path, { headers: { cookie: 'pbx-bridge-session=x' } });
  return { asked: asked.promise, answer: answer.resolve, screens, watch, stored };
}

const readerOf = ({ body }: Response) =>
  (body as NonNullable<Response['body']>).pipeThrough(new TextDecoderStream()).getReader();

/** Reads a stream until its text matches. */
async function readUntil(reader: ReadableStreamDefaultReader<string>, wanted: RegExp): Promise<void> {
  for (let text = ''; !wanted.test(text); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended without ${wanted}: ${text}`);
    text += value;
  }
}

test('a call that moves while the open ones are read is sent after them; no listener is left in the end', {
  timeout: 30_000,
}, async (t) => {
  const { asked, answer, screens, watch } = await serve(t);
  const stream = watch('/events');
  await asked;
  screens.publish(1, call('moved meanwhile'));
  screens.publish(2, call('of another account'));
  answer([call('open')]);
  const { body } = await stream;
  screens.publish(1, call('moved after'));
  assert.ok(body);
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('moved after')) break;
  }
  assert.deepEqual(
    [...text.matchAll(/^event: (\w+)\ndata: .*?"id":"([^"]*)"/gm)].map(([, event, id]) => `${event}: ${id}`),
    ['calls: open', 'call: moved meanwhile', 'call: moved after'],
  );

  // The end of the loop closed the connection; the service notices a moment later.
  await until('the end of the listener', () => screens.connected() === 0);
});

test('the API log hears of new requests within a second', {
  timeout: 30_000,
}, async (t) => {
  const { watch, stored } = await serve(t);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const reader = readerOf(await watch('/api-log/stream'));
  await readUntil(reader, /retry/);
  t.mock.timers.tick(1_000);
  await setImmediate();
  stored.newestEntry = 2;
  t.mock.timers.tick(1_000);
  await readUntil(reader, /event: news/);
  await reader.cancel();
});
