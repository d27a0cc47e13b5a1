import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noon, statusWith } from '../bridge/status/bridge-status.fixture.ts';
import { statusLines } from './status-lines.ts';

const bad = (changes: Parameters<typeof statusWith>[0]) =>
  statusLines(statusWith(changes)).flatMap(({ label, text, tone }) =>
    tone === 'bad' ? [`${label}: ${text}`] : [],
  );

test('a bridge that is well has no bad line', () => assert.deepEqual(bad({}), []));

test('an API that accepts nothing is not ok, though it is not out of service yet', () => {
  const retrying = (failures: number) => ({
    delivery: { retrying: { since: noon - 26_000, reason: '500', failures } },
    outbox: { waiting: 3 },
  });
  const [line = ''] = bad(retrying(6));
  assert.match(
    line,
    /^delivery: RETRYING for 26 s, since .*: 500; 6 attempts failed, none accepted since; last delivery /,
  );
  assert.deepEqual(bad(retrying(1)), [], 'one lost answer mends itself');
  const texts = statusLines(statusWith(retrying(1))).map(({ text }) => text);
  assert.ok(
    texts.some((text) => /^RETRYING .* 1 attempt failed/.test(text)),
    'but it is said',
  );
});

test('a link that is lost again and again is not well, though it is up', () => {
  const lost = (times: number) => ({ pbx: { lostAt: Array<number>(times).fill(noon - 60_000) } });
  assert.match(bad(lost(4))[0] ?? '', /^PBX: .*connected for .*; LOST 4 times within the last hour$/);
  assert.deepEqual(bad(lost(1)), []);
});

test('events that are only in memory are counted while the disk takes nothing', () => {
  const [line = ''] = bad({ outbox: { storage: { state: 'full', error: 'no room' }, uncommitted: 9 } });
  assert.match(line, /^disk: full: no room; 9 events only in memory: do not restart the bridge/);
});

test('a problem has its remedy; one that is over is no problem, and says since when', () => {
  const problem = { code: 'x', what: 'the disk hangs', remedy: 'Check the mount.', since: noon - 60_000 };
  const over = { code: 'y', what: 'API unavailable', until: noon - 8_000 };
  const alerts = { problems: [problem], over: [over] };
  assert.deepEqual(
    bad({ alerts }).map((line) => line.replace(/, since [\d:]+/, '')),
    ['problem: the disk hangs; for 60 s. Check the mount.'],
  );
  assert.ok(
    statusLines(statusWith({ alerts })).some(
      ({ label, text, tone }) => label === 'over' && text === 'for 8 s: API unavailable' && tone === 'plain',
    ),
  );
});

test('call backs say how many numbers wait, and that the service does not know them', () => {
  const text = (state: 'begun' | 'ok' | 'failed' | 'unknown') =>
    statusLines(statusWith({ callBacks: { state, waiting: 2, reported: 1 } })).find(
      ({ label }) => label === 'call backs',
    )?.text;
  assert.equal(text('ok'), '2 numbers waiting; 1 call reported since the start');
  assert.match(text('failed') ?? '', /; the service does NOT ANSWER; asked again in 30 s$/);
  assert.equal(bad({ callBacks: { state: 'unknown', waiting: 0, reported: 0 } }).length, 1);
  assert.equal(
    statusLines(statusWith({})).find(({ label }) => label === 'call backs'),
    undefined,
  );
});
