import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualRecords } from '../cdr/cdr-source.ts';
import type { AmiFailure } from './failure.ts';
import { createCounters } from './link-log.ts';
import {
  type LinkEffect,
  type LinkEvent,
  type LinkState,
  nextLink,
  statusOf,
  stoppedLink,
} from './link-state.ts';

const lost: AmiFailure = { kind: 'lost', detail: 'closed' };
const refused: AmiFailure = { kind: 'unreachable', detail: 'ECONNREFUSED' };
const silent: AmiFailure = { kind: 'silent', detail: 'Ping' };
const attempt: LinkEvent = { type: 'attempt' };
const up: LinkEvent = {
  type: 'up',
  up: { version: '22.1.0', records: usualRecords, channels: 2, certificateEndsAt: undefined },
};
const ended = (failure: AmiFailure): LinkEvent => ({ type: 'ended', failure, random: 0.5 });
const input: LinkEvent = { type: 'input', at: 7 };

/** Applies events, each with its time. */
function apply(...events: readonly (readonly [now: number, LinkEvent])[]) {
  let link: LinkState = stoppedLink(0);
  const effects: LinkEffect[] = [];
  for (const [now, event] of events) {
    const [next, ...more] = nextLink(link, { ...event, now });
    link = next;
    effects.push(...more);
  }
  return { link, said: effects.map(({ type }) => type) };
}

/** What counts after some failed attempts in a row, and then a link that was up for this time. */
const afterUp = (upMs: number, failure: AmiFailure) =>
  apply(
    ...Array.from({ length: 5 }, (): [number, LinkEvent] => [0, ended(silent)]),
    ...([
      [0, attempt],
      [0, up],
      [upMs, ended(failure)],
    ] as const),
  ).link;

test('link: attempts are counted until it is up', () => {
  const failed = apply([0, attempt], [1, ended(refused)], [2, attempt]).link;
  assert.deepEqual(
    [failed.status.state, failed.status.attempts, failed.status.failure],
    ['connecting', 2, refused],
  );
  const { link, said } = apply([0, attempt], [1, ended(refused)], [2, attempt], [3, up], [4, input]);
  assert.deepEqual([link.status.state, link.status.since, link.status.attempts], ['up', 3, 0]);
  assert.equal(link.status.failure, undefined);
  assert.equal(link.lastEventAt, 7);
  assert.deepEqual(said, ['say-down', 'say-version', 'say-up']);
});

test('link: after one that lacked its call events, the log says that it is up when one comes', () => {
  const lacking = [
    [0, up],
    [1, ended({ kind: 'no-call-class' })],
    [2, attempt],
    [3, up],
  ] as const;
  const before = ['say-version', 'say-up', 'say-down', 'say-version'];
  assert.deepEqual(apply(...lacking).said, before);
  assert.deepEqual(apply(...lacking, [4, input], [5, input]).said, [...before, 'say-up']);
  assert.deepEqual(apply(...lacking, [4, ended(lost)], [5, input]).said, [...before, 'say-down']);
});

for (const [what, upMs, failure, failures, silences] of [
  ['up for 10 s', 10_000, refused, 1, 0],
  ['up for a second, then lost', 1_000, lost, 1, 5],
  ['up for less, then lost', 999, lost, 4, 5],
  ['up for less, then silent', 999, silent, 6, 6],
] as const) {
  test(`link: what counts of five failures after it was ${what}`, () => {
    const link = afterUp(upMs, failure);
    assert.deepEqual([link.failures, link.silences], [failures, silences]);
  });
}

test('link: the delay grows with the failures, and a stop forgets them', () => {
  const [first, second] = [apply([0, ended(lost)]), apply([0, ended(lost)], [0, ended(lost)])];
  assert.deepEqual([first.link.delayMs, second.link.delayMs], [0, 187.5]);
  const { link } = apply([0, ended(silent)], [0, { type: 'stopped' }]);
  assert.deepEqual([link.status.state, link.failures, link.silences], ['stopped', 0, 0]);
});

test('link: losses of the last hour are remembered, 100 at most, and only of links that were up', () => {
  const { link } = apply(
    [0, attempt],
    [1, ended(refused)],
    [2, up],
    [3, ended(lost)],
    [4, up],
    [5, ended(lost)],
  );
  assert.deepEqual(statusOf(link, createCounters(), 6).lostAt, [3, 5]);
  assert.deepEqual(statusOf(link, createCounters(), 3_600_004).lostAt, [5]);
  const many = Array.from({ length: 101 }, (_, i): [number, LinkEvent][] => [
    [i, up],
    [i, ended(lost)],
  ]);
  assert.deepEqual(apply(...many.flat()).link.status.lostAt.length, 100);
});

for (const [what, has, said] of [
  ['has them', [true, false, true], []],
  ['has none', [false, false], ['say-linkedid']],
  ['has none, then has them', [false, true, false], ['say-linkedid', 'say-linkedid']],
] as const) {
  test(`link: a PBX whose events name their call: it ${what}`, () => {
    const events = has.map((each): [number, LinkEvent] => [0, { type: 'linkedid', has: each }]);
    const { link, said: effects } = apply(...events);
    assert.deepEqual(effects, said);
    assert.equal(link.status.hasLinkedid, has.includes(true as never));
  });
}
