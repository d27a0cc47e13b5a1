import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noExtras } from '../calls/call-extras.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { makeScreens } from '../calls/screens.ts';
import { makeCallBackList } from './call-back-list.ts';
import type { CallerStore, MissedCaller } from './caller-store.ts';

const missed = (id: string, number: string) =>
  ({
    ...{ id, number, from: number, status: 'completed', missed: true, startedAt: 1, completedAt: 2 },
    ...{ callerId: null, customer: null, segment: null, priority: null, integration: 1, extras: noExtras },
  }) as CallRecord;

/** A list of the callers in `calls`; `during` is called while each read is under way, after it has seen them. */
function scene(calls: CallRecord[], during: (read: number) => void | Promise<void>) {
  const screens = makeScreens();
  const frames: string[] = [];
  screens.subscribe({ account: 1, user: 1 } as never, (frame) => void frames.push(frame));
  let reads = 0;
  const callers = {
    async missedCallers(): Promise<MissedCaller[]> {
      const seen = calls.map((call) => ({
        call,
        calls: [{ since: 1, until: 2 }],
        reached: null,
        answeredAt: null,
      }));
      await during(++reads);
      return seen;
    },
    actions: async () => [],
  };
  const list = makeCallBackList(callers as unknown as CallerStore, screens, () => 3);
  return { screens, frames, list, reads: () => reads };
}

test('a call that is missed while the list is read is in the list that screens get', async () => {
  const calls = [missed('old', '110')];
  const { list, screens, frames, reads } = scene(calls, (read) => {
    if (read > 1) return;
    calls.push(missed('new', '112'));
    screens.publish(1, missed('new', '112'));
  });
  await list.publish(1);
  const [last = ''] = frames.filter((frame) => frame.startsWith('event: missed'));
  assert.match(last, /"id":"new"/);
  assert.match(last, /"id":"old"/);
  assert.deepEqual([reads(), frames.length], [2, 2]);
});
