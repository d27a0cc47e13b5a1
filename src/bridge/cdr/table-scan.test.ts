import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boundsOf,
  type Candidate,
  candidatesOf,
  type Page,
  positionAfter,
  positionAtEnd,
  possiblePosition,
  type RowTimes,
  type ScanPosition,
  scanFrom,
} from './table-scan.ts';

const hour = 3_600;
/** The table was read to the end of a call at 10:00 UTC, on a PBX whose clock is an hour ahead of UTC. */
const at = Date.parse('2026-11-02T10:00:00Z') / 1_000;
const zone = hour;
const position: ScanPosition = { at, thoroughAt: at - 600, zone, seen: [], unfinished: null };
/** Records are written up to 15 minutes after their calls. */
const late = 900;
/** An operator may set the PBX to any zone. */
const anyZone = 26 * hour;

test('how far back a scan looks, by the clock of the PBX', () => {
  const quick = at + zone - late;
  assert.deepEqual(boundsOf(position, false), { beganSince: quick - hour, endedSince: quick });
  const thorough = at - 600 + zone - late - anyZone;
  assert.deepEqual(boundsOf(position, true), { beganSince: thorough - 24 * hour, endedSince: thorough });
  const unknown = at - late - anyZone;
  assert.deepEqual(boundsOf({ ...position, zone: null }, false), {
    beganSince: unknown - hour,
    endedSince: unknown,
  });
  const unfinished = { cursor: 4711, latest: at, zone, thorough: false };
  assert.deepEqual(boundsOf({ ...position, unfinished }, false), { beganSince: 4711, endedSince: quick });
});

test('a scan goes on as it began, but a quick one does not count as thorough', () => {
  const scan = (thorough: boolean) => ({
    ...position,
    unfinished: { cursor: 4711, latest: at, zone, thorough },
  });
  assert.deepEqual(scanFrom(scan(true), false), { here: scan(true), thorough: true });
  assert.deepEqual(scanFrom(scan(false), false), { here: scan(false), thorough: false });
  assert.deepEqual(scanFrom(scan(false), true), { here: position, thorough: true });
  assert.deepEqual(scanFrom(position, true), { here: position, thorough: true });
});

/** The row of a call that began this number of seconds after 10:00 UTC. */
function row(after: number, duration: number, { ahead = zone, id = at + after } = {}): RowTimes {
  return { uniqueid: `${id}.1`, began: at + after + ahead, duration };
}

test('the calls that may not have been read are those that ended after the last one, or shortly before', () => {
  const candidates = (rows: RowTimes[], more: Partial<ScanPosition> = {}, thorough = false) =>
    candidatesOf({ ...position, ...more }, thorough, rows).map(({ end, endAtLatest, zone }) => [
      end - at,
      endAtLatest - at,
      zone,
    ]);
  assert.deepEqual(candidates([row(-late - 9, 9)]), [[-late, -late, zone]]);
  assert.deepEqual(candidates([row(-late - 10, 9)]), []);
  assert.deepEqual(candidates([row(-late - 10, 9)], {}, true), [[-late - 1, -late - 1, zone]], 'thorough');
  assert.deepEqual(candidates([{ ...row(0, 9), uniqueid: '' }]), [], 'no uniqueid');
  // A call of two rows, read in any order.
  assert.deepEqual(candidates([row(20, 30, { id: at + 5 }), row(5, 9)]), [[50, 50, zone]]);
  // The first row is missing: by the other one the clock seems to be further ahead.
  const rest = row(-100, 9, { id: at - 2_000 });
  assert.deepEqual(candidates([rest]), [[-1_991, -91, zone + 1_900]]);
  // The zone was changed, or is not known yet.
  assert.deepEqual(candidates([row(0, 9, { ahead: -hour })]), [[9, 9, -hour]]);
  assert.deepEqual(candidates([row(0, 9)], { zone: null }), [[9, 9, zone]]);
});

const page: Page = { cursor: undefined, thorough: false, read: [], now: at + 100 };
const call = (after: number, more: Partial<Candidate> = {}): Page['read'][number] => ({
  uniqueid: `${at + after - 9}.1`,
  end: at + after,
  endAtLatest: at + after,
  zone,
  rows: 2,
  ...more,
});

test('a scan ends at the latest call, and a thorough one says so', () => {
  const seen = (after: number): [string, number, number] => [`${at + after - 9}.1`, 2, at + after];
  const read = [call(10), call(40), call(20)];
  const after = positionAfter(position, { ...page, read });
  assert.deepEqual(after, { ...position, at: at + 40, seen: [seen(10), seen(40), seen(20)] });
  assert.equal(positionAfter(position, { ...page, read, thorough: true }).thoroughAt, at + 40);
  assert.deepEqual(positionAfter(position, page), position, 'nothing new');
  assert.equal(
    positionAfter(position, { ...page, read: [call(-5, { zone: 0 })] }).zone,
    zone,
    'an older call',
  );
  assert.equal(positionAfter(position, { ...page, read: [call(5, { zone: 0 })] }).zone, 0, 'another zone');
  assert.equal(positionAfter(position, { ...page, read: [call(0, { zone: 0 })] }).zone, 0, 'of that second');
  const both = [call(5), { ...call(5, { zone: 0 }), uniqueid: `${at}.2` }];
  assert.equal(
    positionAfter(position, { ...page, read: both }).zone,
    0,
    'the zone of the one that began last',
  );
});

test('a clock that was ahead hides no later calls', () => {
  const after = positionAfter({ ...position, thoroughAt: at + 999 }, { ...page, read: [call(500)] });
  assert.deepEqual([after.at, after.thoroughAt], [at + 100, at + 100]);
});

test('a position later than the server’s clock is of a clock that was ahead: the last day is read again', () => {
  const unfinished = { cursor: at + 99 * hour, latest: at + 99 * hour, zone, thorough: false };
  const dayBefore = { at: at - 24 * hour, thoroughAt: at - 24 * hour, unfinished: null };
  for (const ahead of [{ at: at + late + 1 }, { thoroughAt: at + late + 1 }])
    assert.deepEqual(possiblePosition({ ...position, ...ahead, unfinished }, at), {
      ...position,
      ...dayBefore,
    });
  const slightly = { ...position, at: at + late, unfinished };
  assert.deepEqual(possiblePosition(slightly, at), { ...slightly, at }, 'records are read that late anyway');
  assert.deepEqual(possiblePosition(position, at), position);
});

test('a scan that is not finished continues with what it has found', () => {
  const unfinished = { cursor: at + zone + 15, latest: at + 40, zone: 0, thorough: true };
  const first = positionAfter(position, {
    ...page,
    cursor: at + 15,
    thorough: true,
    read: [call(40, { zone: 0 })],
  });
  assert.deepEqual(first.unfinished, { ...unfinished, cursor: at + 15 });
  assert.deepEqual([first.at, first.thoroughAt, first.zone], [position.at, position.thoroughAt, zone]);
  const last = positionAfter({ ...position, unfinished }, page);
  assert.deepEqual([last.at, last.zone, last.unfinished], [at + 40, 0, null]);
});

test('calls are kept in mind for as long as a scan may find them again', () => {
  const seen: ScanPosition['seen'] = [
    ['old.1', 1, at - 600 - late - hour - 1],
    ['old.2', 1, at - 600 - late - hour],
    ['old.3', 1, at],
  ];
  const kept = (from: Partial<ScanPosition>, more: Partial<Page> = {}) =>
    positionAfter({ ...position, seen, ...from }, { ...page, ...more }).seen.map(
      ([id, , end]) => `${id} ${end - at}`,
    );
  assert.deepEqual(kept({}), ['old.2 -5100', 'old.3 0']);
  // Clocks were set back: by the new zone these calls ended later.
  assert.deepEqual(kept({}, { read: [call(1, { zone: 0 })] }), [
    'old.1 -1501',
    'old.2 -1500',
    'old.3 3600',
    `${at - 8}.1 3601`,
  ]);
  assert.deepEqual(kept({ zone: 0 }, { read: [call(1)] }).slice(0, 1), ['old.2 -5100'], 'set forward');
  const west = [call(1, { zone: -8 * hour })];
  assert.deepEqual(kept({ zone: null }, { read: west }).slice(0, 2), ['old.2 -5100', 'old.3 0'], 'the first');
  const many = Array.from({ length: 50_001 }, (_, nth) => call(1, { uniqueid: `${nth}.1` }));
  const latest = kept({}, { read: many });
  assert.deepEqual([latest.length, latest[0]], [50_000, '1.1 1']);
  // In an unfinished scan those that ended before the rows that remain.
  const cursor = at + zone + anyZone - 5_100;
  assert.deepEqual(kept({}, { cursor }), ['old.2 -5100', 'old.3 0']);
});

test('a table is read from the end of its newest call, an empty one from a day ago', () => {
  const now = at + 60;
  assert.deepEqual(positionAtEnd([row(-100, 30), row(-50, 20)], now), {
    ...position,
    at: at - 30,
    thoroughAt: at - 30,
  });
  const dayAgo = now - 24 * hour;
  assert.deepEqual(positionAtEnd([], now), { ...position, at: dayAgo, thoroughAt: dayAgo, zone: null });
});
