import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CdrRecord } from './cdr-source.ts';
import { createDialledLegs, createRestartDetector } from './dialled-legs.ts';

const record = (more: Partial<CdrRecord> = {}): CdrRecord => ({
  src: '',
  dst: '',
  dcontext: '',
  channel: 'PJSIP/1001-00000001',
  dstchannel: '',
  lastapp: 'Dial',
  lastdata: '',
  disposition: 'ANSWERED',
  uniqueid: '1800000000.1',
  did: '',
  ...more,
});
/** The uniqueid of a channel that began this number of seconds after the first one. */
const after = (seconds: number) => `${1_800_000_000 + seconds}.9`;
const line = { channel: 'DAHDI/1-1' };

test('in autumn an hour comes twice: what begins in the second one is later', () => {
  const [first, second] = [
    { start: 10_000, duration: 15 },
    { start: 10_000 + 900 - 3_600, duration: 60 },
  ];
  const legs = createDialledLegs();
  const dstchannel = 'Local/1002@from-queue-00000002;1';
  const leg = record({ channel: 'Local/1002@from-queue-00000002;2', uniqueid: after(900), ...second });
  legs.add(record(first));
  legs.add(leg);
  const own = record({ dstchannel, ...second });
  legs.add(own);
  assert.deepEqual(legs.all(leg.channel, own), [leg]);
});

test('a channel was dialled if it began during a call that had it as its other end', () => {
  const legs = createDialledLegs();
  const times = { start: 500, duration: 10 };
  legs.add(record({ dstchannel: line.channel, ...times }));
  const wasDialled = (seconds: number) => legs.wasDialled({ ...line, uniqueid: after(seconds) });
  // Times in records are whole seconds, rounded down.
  assert.deepEqual([-1, 0, 11, 12].map(wasDialled), [false, true, true, false]);
  // A later record of the same call.
  legs.add(record({ dstchannel: line.channel, ...times, start: 505 }));
  assert.deepEqual([16, 17].map(wasDialled), [true, false]);
  // Clocks were set back during the call.
  legs.add(record({ dstchannel: line.channel, ...times, start: 500 - 3_600 }));
  assert.deepEqual([16, 17].map(wasDialled), [true, false]);
  assert.equal(legs.wasDialled({ channel: 'DAHDI/2-1', uniqueid: after(5) }), false);
  for (const [channel, time] of [
    ['DAHDI/3-1', { start: 505 }],
    ['DAHDI/4-1', { duration: 5 }],
  ] as const) {
    legs.add(record({ dstchannel: channel, ...time }));
    assert.equal(legs.wasDialled({ channel, uniqueid: after(9_000) }), true, 'of unknown times');
  }
});

test('the record of a leg is the answered one during the call', () => {
  const legs = createDialledLegs();
  const by = record({ start: 500, duration: 10 });
  const times = { start: 520, duration: 5 };
  const add = (seconds: number, more: Partial<CdrRecord>) => {
    const leg = record({ ...line, uniqueid: after(seconds), ...times, ...more });
    legs.add(leg);
    return leg;
  };
  add(-7, {});
  add(12, {});
  assert.equal(legs.find(line.channel, by), undefined, 'before and after the call');
  const missed = add(-6, { disposition: 'NO ANSWER' });
  assert.equal(legs.find(line.channel, by), missed);
  const announcement = add(3, {});
  assert.equal(legs.find(line.channel, by), announcement);
  const answered = add(11, { dstchannel: 'PJSIP/1002-00000002' });
  assert.equal(legs.find(line.channel, by), answered);
  assert.deepEqual(legs.all(line.channel, by), [missed, announcement, answered]);
});

test('the answered half of a Local pair is found by the number that it leads to', () => {
  const legs = createDialledLegs();
  const half = (name: string, nth: number, more: Partial<CdrRecord> = {}) => {
    const leg = record({ channel: `Local/${name}`, uniqueid: after(nth), dstchannel: 'PJSIP/x-1', ...more });
    legs.add(leg);
    return leg;
  };
  half('1001@x-1;1', 1);
  half('10010@x-2;2', 2);
  half('1001@x-3;2', 3, { disposition: 'NO ANSWER' });
  half('1001@x-5;2', -100, { start: 0, duration: 5 });
  const by = record();
  assert.equal(legs.leadingTo('1001', by), undefined);
  const found = half('1001@x-4;2', 4);
  assert.equal(legs.leadingTo('1001', by), found);
});

test('an end that another call had too', () => {
  const legs = createDialledLegs();
  const one = record({ dstchannel: line.channel });
  legs.add(one);
  assert.equal(legs.isOfAnother(one), false);
  legs.add(record({ dstchannel: line.channel, uniqueid: after(2) }));
  assert.equal(legs.isOfAnother(one), true);
});

test('a restart of Asterisk is detected by a count that begins again', () => {
  const isAfterRestart = createRestartDetector();
  const uniqueids = ['100.0', '101.9', '100.7', '102.12', '101.10', 'pbx-200.3', '201.4', '201.3', '300.4'];
  const seen = uniqueids.filter((uniqueid) => isAfterRestart({ uniqueid }));
  assert.deepEqual(seen, ['pbx-200.3']);
});

test('of 20,000 names the one whose newest record is the oldest is lost', () => {
  const legs = createDialledLegs();
  const all = Array.from({ length: 20_000 }, (_, n) => record({ channel: `PJSIP/trunk-${n}` }));
  // The first one speaks again.
  for (const one of [...all, record({ channel: 'PJSIP/trunk-0' }), record({ channel: 'PJSIP/one-more' })])
    legs.add(one);
  const found = ['PJSIP/trunk-0', 'PJSIP/trunk-1', 'PJSIP/trunk-2', 'PJSIP/one-more'].map(
    (channel) => legs.all(channel, record()).length,
  );
  assert.deepEqual(found, [2, 0, 1, 1]);
});
