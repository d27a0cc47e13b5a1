import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caller, created, dialled, phone, play } from './tracker.fixture.ts';

const roleOf = (uniqueid: string, { state }: ReturnType<typeof play>) => state.channels.get(uniqueid)?.role;

test('a channel that is dialled out over the trunk has nothing of a caller any more', () => {
  const line = { ...caller, state: 0 };
  assert.equal(roleOf('1.1', play([line]))?.type, 'caller');
  assert.deepEqual(roleOf('1.1', play([line, dialled(line, '0201234567@trunk')])), {
    type: 'leg',
    dialledFor: undefined,
    dialled: '0201234567',
    isBegun: true,
    isSilent: false,
    isDialledByPbx: true,
    dialledBy: undefined,
    isPaged: false,
    wasPaged: false,
  });
});

test('the channel of an open call stays a caller, but does not count as inbound any more', () => {
  const role = roleOf('1.1', play([caller, dialled(caller, '0201234567@trunk')]));
  assert.ok(role?.type === 'caller');
  assert.equal(role.isInbound, false);
});

test('a leg that turns out to be of another caller is in no list of the first', () => {
  const { state } = play([phone, { ...phone, linkedid: '2.1' }]);
  assert.deepEqual([...state.legs.keys()], ['2.1']);
});

test('a channel that was not dialled, and does not come in, is neither', () => {
  const own = { ...created('1.2', 'PJSIP/1001-00000002'), linkedid: '1.2' };
  assert.deepEqual(roleOf('1.2', play([own])), { type: 'other' });
});
