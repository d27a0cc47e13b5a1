import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Presentation } from '../calls/input.ts';
import type { Ruling } from './number-permission.ts';
import { createWaitingLookups } from './waiting-lookups.ts';

/** One lookup that waits, on a timer of the test's own. */
function stand(first: Ruling) {
  let onTime = () => {};
  let now = first;
  let rulings = 0;
  let answered = 0;
  const reply = Promise.withResolvers<Presentation>();
  const lookups = createWaitingLookups((callback) => {
    onTime = callback;
    return () => {};
  });
  const last = lookups.wait(first, {
    rule: () => {
      rulings += 1;
      return now;
    },
    permissionBy: () => now.permission,
    askCall: () => reply.promise,
    waitMs: 100,
    answer: (last) => {
      answered += 1;
      return last;
    },
  });
  const become = (ruling: Ruling) => {
    now = ruling;
    lookups.review(first.decider ?? '');
  };
  return {
    last,
    become,
    timeOut: () => onTime(),
    reply: reply.resolve,
    rulings: () => rulings,
    answered: () => answered,
  };
}

test('a lookup ends once its decider has settled it', async () => {
  const { last, become } = stand({ decider: '1.1', permission: 'pending' });
  become({ decider: '1.1', permission: 'withheld' });
  assert.deepEqual(await last, { decider: '1.1', permission: 'withheld' });
});

test('a lookup that is not settled in time is pending', async () => {
  const { last, timeOut } = stand({ decider: '1.1', permission: 'unknown' });
  timeOut();
  assert.deepEqual(await last, { decider: '1.1', permission: 'pending' });
});

for (const [presentation, permission] of [
  ['prohibited', 'withheld'],
  ['allowed', 'granted'],
  ['unknown', 'pending'],
] as const) {
  test(`a call that says ${presentation} itself makes it ${permission}`, async () => {
    const { last, reply } = stand({ decider: '1.1', permission: 'unknown' });
    reply(presentation);
    assert.equal((await last).permission, permission);
  });
}

test('a reply that comes too late keeps no lookup waiting', async () => {
  const { last, become, timeOut, reply, rulings } = stand({ decider: '1.1', permission: 'unknown' });
  timeOut();
  await last;
  become({ decider: '1.1', permission: 'pending' });
  reply('allowed');
  await turn();
  become({ decider: '1.1', permission: 'granted' });
  assert.equal(rulings(), 0);
});

test('what a lookup gets is made when it is settled, before anything else happens to its call', () => {
  const { become, answered } = stand({ decider: '1.1', permission: 'pending' });
  become({ decider: '1.1', permission: 'granted' });
  assert.equal(answered(), 1);
});
