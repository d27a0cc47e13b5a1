import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from '../calls/input.ts';
import {
  firstSnapshot,
  nextSnapshot,
  type SnapshotEffect,
  type SnapshotEvent,
  type SnapshotFlow,
} from './snapshot-flow.ts';

const snapshot: Snapshot = { type: 'snapshot', at: 1, channels: [], bridges: [] };
const whole: SnapshotEvent = { type: 'read', snapshot, isPartial: false };
const partial: SnapshotEvent = { type: 'read', snapshot, isPartial: true };
const handedOn: SnapshotEvent = { type: 'handed-on' };
const resync: SnapshotEvent = { type: 'resync' };
const refused: SnapshotEvent = { type: 'refused', isNeeded: true };
const tooLong: SnapshotEvent = { type: 'too-long', isNeeded: true };
const ended: SnapshotEvent = { type: 'ended' };
const unneeded: SnapshotEvent = { type: 'too-long', isNeeded: false };

/** The effects of each event in turn: `hand-on` with a snapshot is `snapshot`, without one `held`. */
function effectsOf(...events: readonly SnapshotEvent[]): string[] {
  let flow: SnapshotFlow = firstSnapshot;
  const nameOf = (effect: SnapshotEffect): string =>
    effect.type !== 'hand-on' ? effect.type : effect.snapshot === undefined ? 'held' : 'snapshot';
  return events.map((event) => {
    const [next, ...effects] = nextSnapshot(flow, event);
    flow = next;
    return effects.map(nameOf).join(' ');
  });
}

for (const [what, events, effects] of [
  ['the first is handed on, partial or not', [partial], ['snapshot']],
  ['the first is handed on although events were refused', [refused, whole], ['resync-later', 'snapshot']],
  [
    'it is read once more if a frame was too long',
    [unneeded, whole, unneeded, whole],
    ['', 'read', '', 'snapshot'],
  ],
  [
    'events that were lost are replaced by one snapshot',
    [whole, handedOn, refused, tooLong, resync, whole],
    ['snapshot', '', 'resync-later', '', 'read', 'snapshot'],
  ],
  [
    'a later one that is partial is read again',
    [whole, handedOn, refused, resync, partial, handedOn, resync, whole],
    ['snapshot', '', 'resync-later', 'read', 'resync-later held', '', 'read', 'snapshot'],
  ],
  [
    'so is a later one if an event was refused while it was read; one timer is enough',
    [whole, handedOn, refused, resync, refused, whole, handedOn],
    ['snapshot', '', 'resync-later', 'read', 'resync-later', 'held', ''],
  ],
  [
    'a snapshot that is being read may be older than the loss',
    [refused, resync, whole, resync, handedOn, resync],
    ['resync-later', 'resync-later', 'snapshot', 'resync-later', '', 'read'],
  ],
  [
    'what is held is handed on at the end if its snapshot was',
    [whole, ended, handedOn, refused, resync],
    ['snapshot', 'flush', '', '', ''],
  ],
  ['what is held without its snapshot is not', [ended, whole], ['', '']],
] as const satisfies readonly (readonly [string, readonly SnapshotEvent[], readonly string[]])[]) {
  test(`snapshots: ${what}`, () => {
    assert.deepEqual(effectsOf(...events), effects);
  });
}
