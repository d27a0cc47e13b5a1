import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { callStatuses } from '../../src/api/contract/call-status.ts';
import { event, serve } from './service-harness.ts';
import { bearer, screenEvents } from './service-stream.ts';

/**
 * Events of many calls from several clients at once, out of order, repeated and late. Whatever the interleaving, the
 * store holds no state that the document forbids, the figures are those of the calls, and the history is what was sent.
 */
test('random interleavings of many calls from several clients', async (t) => {
  const { a, service, post, history, stateDir } = await serve(t);
  const sent = fc.record({
    call: fc.integer({ min: 0, max: 4 }),
    status: fc.constantFrom(...callStatuses),
    from: fc.constantFrom('+4930901820', '110', '030 901820'),
    caller_id: fc.option(fc.constantFrom('1001', '1002'), { nil: undefined }),
  });
  const clients = fc.array(fc.array(sent, { maxLength: 12 }), { minLength: 1, maxLength: 5 });
  let run = 0;
  const reported = new Map<string, string[]>();
  const stream = screenEvents(service.url, bearer(a.token));
  await stream.next();
  const listening = (async () => {
    for await (const heard of stream) {
      if (heard.event !== 'call') continue;
      reported.set(heard.call.id, [...(reported.get(heard.call.id) ?? []), heard.call.status]);
      if (heard.call.id === 'the end') return;
    }
  })();

  const all: string[] = [];
  await fc.assert(
    fc.asyncProperty(clients, async (queues) => {
      run += 1;
      const bodies = queues.map((queue) =>
        queue.map(({ call, ...fields }) => JSON.stringify(event({ ...fields, id: `run-${run}-${call}` }))),
      );
      await Promise.all(
        bodies.map(async (queue, client) => {
          for (const body of queue) {
            const { status } = await post(client % 2 === 0 ? a.token : a.secondToken, body);
            assert.equal(status, 200);
          }
        }),
      );
      all.push(...bodies.flat());
      const entries = await history(a.token, `?search=request&search_term=run-${run}-`);
      assert.deepEqual(entries.map(({ request }) => request).toSorted(), bodies.flat().toSorted());
      // Within a client, the order of sending is the order of recording.
      for (const queue of bodies)
        assert.ok(
          isSubsequence(
            queue,
            entries.map(({ request }) => request),
          ),
        );
    }),
    { numRuns: 40 },
  );
  await post(a.token, event({ id: 'the end' }));
  await listening;
  await service.stop();

  const db = new DatabaseSync(join(stateDir, 'service.db'));
  t.after(() => db.close());
  const calls = db.prepare("SELECT * FROM calls WHERE call_id <> 'the end'").all() as Row[];
  const statusOf = (body: string) =>
    JSON.parse(body) as { id: string; status: (typeof callStatuses)[number] };
  for (const call of calls) {
    const own = all.map(statusOf).filter(({ id }) => id === call.call_id);
    const furthest = Math.max(...own.map(({ status }) => callStatuses.indexOf(status)));
    assert.equal(call.status, callStatuses[furthest], `${call.call_id} is as far as it was reported`);
    const times = [call.ringing_at, call.answered_at, call.completed_at].filter(
      (at) => at !== null,
    ) as number[];
    assert.deepEqual(
      times,
      times.toSorted((x, y) => x - y),
      'its times go forward',
    );
    assert.equal(call.started_at, times[0]);
    assert.equal(call.completed_at !== null, call.status === 'completed');
    assert.equal(call.missed !== null, call.status === 'completed');
    const shown = reported.get(call.call_id as string) ?? [];
    assert.deepEqual(
      shown,
      [...new Set(shown)].toSorted(byOrder),
      'screens saw it move forward, each state once',
    );
    assert.equal(shown.at(-1), call.status);
  }
  assert.equal(calls.length, new Set(all.map((body) => statusOf(body).id)).size);
});

type Row = Record<string, string | number | null>;

const byOrder = (x: string, y: string) =>
  callStatuses.indexOf(x as 'ringing') - callStatuses.indexOf(y as 'ringing');

function isSubsequence(wanted: readonly string[], of: readonly string[]): boolean {
  let found = 0;
  for (const item of of) if (item === wanted[found]) found += 1;
  return found === wanted.length;
}
