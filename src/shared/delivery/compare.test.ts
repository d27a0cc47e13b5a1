import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CallStatus, callStatuses } from '../api/contract/call-status.ts';
import { compare, type Delivered, searchesFor } from './compare.ts';

const event = (seq: number, callId: string, status: CallStatus): Delivered => ({
  seq,
  callId,
  status,
  at: 0,
});
const call = (callId: string, first: number) =>
  callStatuses.map((status, i) => event(first + i, callId, status));

test('what is there, missing, overtaken by a later state, and unread, in the order in which it was queued', () => {
  const delivered = [...call('c', 7), ...call('b', 4), ...call('a', 1), ...call('d', 10)];
  const found = compare(delivered, {
    recorded: new Map([
      ['a', new Set(['ringing', 'answered', 'completed'])],
      ['b', new Set(['answered'])],
      ['d', new Set(['ringing'])],
    ]),
    unread: new Set(['d']),
  });
  const seqs = Object.fromEntries(
    Object.entries(found).map(([fate, events]) => [fate, events.map(({ seq }) => seq)]),
  );
  assert.deepEqual(seqs, {
    there: [1, 2, 3, 5, 10],
    missing: [6, 7, 8, 9],
    overtaken: [4],
    unread: [11, 12],
  });
});

test('whatever was delivered, each event has one fate; nothing that is there or overtaken is missing', () => {
  const events = fc.uniqueArray(
    fc.record({
      seq: fc.nat(1_000),
      callId: fc.constantFrom('a', 'b', 'c'),
      status: fc.constantFrom(...callStatuses),
      at: fc.constant(0),
    }),
    { selector: ({ seq }) => seq },
  );
  const recorded = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.array(fc.constantFrom(...callStatuses)));
  fc.assert(
    fc.property(events, recorded, fc.array(fc.constantFrom('a', 'b')), (delivered, has, open) => {
      const map = new Map(Object.entries(has).map(([id, statuses]) => [id, new Set<string>(statuses)]));
      const { there, missing, overtaken, unread } = compare(delivered, {
        recorded: map,
        unread: new Set(open),
      });
      assert.deepEqual(
        [...there, ...missing, ...overtaken, ...unread].map(({ seq }) => seq).toSorted(),
        delivered.map(({ seq }) => seq).toSorted(),
      );
      for (const { callId, status } of missing) {
        const inOrder: readonly string[] = callStatuses;
        const later = inOrder.slice(inOrder.indexOf(status));
        assert.ok(later.every((one) => !map.get(callId)?.has(one)));
      }
    }),
  );
});

test('searches find every call, each once, with no more of them than are wanted, and few of them', () => {
  const ids = fc.uniqueArray(
    fc
      .tuple(fc.integer({ min: 1_763_600_000, max: 1_763_600_300 }), fc.nat(99_999))
      .map(([s, n]) => `pbx-${s}.${n}`),
    { minLength: 1, maxLength: 300 },
  );
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 50 }), (all, most) => {
      const searches = searchesFor(all, most);
      assert.deepEqual(searches.flatMap(({ callIds }) => callIds).toSorted(), all.toSorted());
      for (const { term, callIds } of searches) {
        assert.ok(callIds.length <= most);
        assert.ok(callIds.every((id) => id.startsWith(term)));
        // Only an id that is the beginning of others finds these too.
        const others = all.filter((id) => id.startsWith(term) && !callIds.includes(id));
        assert.ok(others.length === 0 || callIds.includes(term));
      }
    }),
    { examples: [[['pbx-1763600011.40000', 'pbx-1763600011.4', 'pbx-1763600000.0'], 1]] },
  );
  assert.deepEqual(searchesFor([], 3), []);
  assert.deepEqual(searchesFor(['pbx-17.1', 'pbx-18.1', 'pbx-17.2'], 3), [
    { term: 'pbx-1', callIds: ['pbx-17.1', 'pbx-17.2', 'pbx-18.1'] },
  ]);
});
