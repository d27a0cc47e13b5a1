import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scenario } from '../recordings/library.ts';
import type { HeldCall } from '../tools/fakes/fake-api-book.ts';
import { always, type FaultScript, times } from '../tools/fakes/fake-api-faults.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { callsOf, createStand, markerCall, type Stand } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

/**
 * What breaks between the PBX and the bridge, and between the bridge and the API, on recorded calls. Every position
 * is tried at once: as many copies of the call as it has frames are under way when it breaks, each a frame further.
 */
const recorded = [
  'asterisk-22/extension-caller-hangs-up',
  'asterisk-22/queue-local-ringall',
  'asterisk-22/attended-transfer-completed',
].map(scenario);

/** Copies of one recording, the nth of them n frames in. */
function insertCopies({ pbx }: Stand, { recording, calls }: (typeof recorded)[number]) {
  const caller = `Uniqueid: ${calls[0]?.uniqueid}`;
  const first = recording.frames.findIndex(({ frame }) => frame.toString().includes(caller));
  const playbacks = recording.frames.map((_, position) => {
    const playback = pbx.load(recording);
    for (let n = 0; n < position; n += 1) playback.step();
    return playback;
  });
  return {
    count: playbacks.length,
    /** How many of the calls have begun: those that are past the first frame of their caller's channel. */
    begun: playbacks.filter((playback) => playback.played() > first).length,
    /** Plays each copy on, by this number of frames. */
    step(frames: number) {
      for (const playback of playbacks) for (let n = 0; n < frames && playback.step(); n += 1);
    },
    finish() {
      for (const playback of playbacks) while (playback.step());
    },
  };
}

function assertRight(calls: Iterable<HeldCall>, expected: readonly string[], count: number): void {
  let seen = 0;
  for (const { id, received } of calls) {
    assert.deepEqual(received, expected, id);
    seen += 1;
  }
  assert.equal(seen, count);
}

const allCompleted = (count: number) => (fakeApi: Stand['fakeApi']) => {
  const calls = callsOf(fakeApi);
  return calls.length === count && calls.every(({ state }) => state === 'completed');
};

/** All that was reported before is at the API, each call is ended now, and nothing else was reported. */
async function assertOnlyEnded(stand: Stand, before: Map<string, string[]>, count: number): Promise<void> {
  await stand.fakeApi.waitFor(allCompleted(count));
  await stand.stop();
  const expected = [...before].map(([id, reported]) => [
    id,
    reported.includes('completed') ? reported : [...reported, 'completed'],
  ]);
  assert.deepEqual(
    Object.fromEntries(callsOf(stand.fakeApi).map(({ id, received }) => [id, received])),
    Object.fromEntries(expected),
  );
}

/**
 * Each call was reported in order, to its end, and answered: but for those few whose talk began and ended within the
 * frames that were lost, of which there are fewer than frames.
 */
async function assertAnswered(stand: Stand, count: number, lostFrames: number): Promise<void> {
  await stand.fakeApi.waitFor(allCompleted(count));
  await stand.stop();
  const calls = callsOf(stand.fakeApi).map(({ received }) => received.join(' '));
  const answered = calls.filter((received) => received === 'ringing answered completed').length;
  const missed = calls.filter((received) => received === 'ringing completed').length;
  assert.equal(answered + missed, count);
  assert.ok(missed < lostFrames, `${missed} of ${count} calls lack their answer`);
}

describe('the link to the PBX', () => {
  for (const each of recorded) {
    const [call] = each.calls;
    assert.ok(call !== undefined && each.calls.length === 1, `${each.name} must be one call`);
    const expected = call.reported.map(({ status }) => status);

    test(`${each.name}: cut at every event, back at once: reported as if nothing had happened`, async (t) => {
      const stand = await createStand(t);
      await stand.start();
      const copies = insertCopies(stand, each);
      await stand.caughtUp();
      stand.pbx.cut({ hard: true });
      await stand.connected();
      copies.finish();
      await stand.fakeApi.waitFor(allCompleted(copies.count));
      await stand.stop();
      assertRight(callsOf(stand.fakeApi), expected, copies.count);
    });

    test(`${each.name}: cut at every event, back when all is over: each call that was reported is ended once`, async (t) => {
      const stand = await createStand(t);
      await stand.start();
      const copies = insertCopies(stand, each);
      await stand.caughtUp();
      assert.ok(copies.begun > 3 && copies.begun < copies.count);
      const before = stand.reported();
      stand.pbx.setRefuseLogins(true);
      stand.pbx.cut();
      copies.finish();
      stand.pbx.setRefuseLogins(false);
      await stand.connected();
      await stand.caughtUp();
      await assertOnlyEnded(stand, before, copies.begun);
    });
  }

  test('half-open: found without a word from the other side, and nothing is lost', async (t) => {
    const stand = await createStand(t);
    await stand.start();
    const copies = insertCopies(stand, recorded[0] as (typeof recorded)[number]);
    await stand.caughtUp();
    stand.pbx.setSilent(true);
    copies.step(5);
    // The bridge gives up on the silent link and comes again; only then does the PBX speak.
    await until('the bridge to give up on the link', () => !stand.pbx.hasLogin());
    stand.pbx.setSilent(false);
    await stand.connected();
    copies.finish();
    await assertAnswered(stand, copies.count, 5);
  });

  test('Asterisk dies in mid-call and comes back empty: every call is completed', async (t) => {
    const stand = await createStand(t);
    await stand.start();
    const copies = insertCopies(stand, recorded[0] as (typeof recorded)[number]);
    await stand.caughtUp();
    const before = stand.reported();
    await stand.pbx.crash();
    await stand.pbx.listen();
    await stand.connected();
    await assertOnlyEnded(stand, before, copies.begun);
  });
});

describe('the bridge', () => {
  for (const each of recorded)
    test(`${each.name}: killed with -9 at every event and started again`, async (t) => {
      const stand = await createStand(t);
      const cwd = temporaryFolder(t);
      const first = runProgram(['run'], { env: stand.env, cwd });
      await first.says(/"code":"ami\.connected"/);
      const copies = insertCopies(stand, each);
      const marker = markerCall();
      for (const [index, status] of ['ringing', 'completed'].entries()) {
        stand.pbx.send(marker.frames[index] as string);
        await first.says(new RegExp(`"code":"call.${status}".*"call":"${marker.id}"`));
      }
      await first.end('SIGKILL');
      const second = runProgram(['run'], { env: stand.env, cwd });
      t.after(async () => {
        await second.end();
      });
      await second.says(/"code":"ami\.connected"/);
      copies.finish();
      await stand.fakeApi.waitFor(allCompleted(copies.count));
      // An event may arrive twice when the kill came between its answer and the note that it was delivered.
      for (const { id, received } of callsOf(stand.fakeApi))
        assert.deepEqual(
          [...new Set(received)],
          each.calls[0]?.reported.map(({ status }) => status),
          id,
        );
      assert.equal(stand.fakeApi.counts().inverted, 0);
    });
});

describe('the API', () => {
  const rows: [string, FaultScript][] = [
    ['answers 500 three times', times(3, { kind: 'status', status: 500 })],
    ['answers 401, then takes the token', times(3, { kind: 'status', status: 401 })],
    [
      'redirects to a sign-in page',
      times(2, { kind: 'status', status: 302, headers: { location: '/login' } }),
    ],
    ['sends a page with status 200', times(3, { kind: 'html' })],
    [
      'answers 429 with Retry-After',
      times(2, { kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
    ],
    ['loses the answer after it applied the event', times(3, { kind: 'reset', when: 'after' })],
    ['breaks off in the middle of the answer', times(3, { kind: 'reset', when: 'during' })],
    ['resets every connection at first', times(3, { kind: 'reset', when: 'before' })],
    ['answers with bytes that are not HTTP', times(3, { kind: 'garbage' })],
  ];
  const [each] = recorded as [(typeof recorded)[number]];
  for (const [name, script] of rows)
    test(`${name}: all is reported, in order`, async (t) => {
      const stand = await createStand(t);
      await stand.start();
      stand.fakeApi.inject(script);
      await stand.pbx.play(each.recording, { speed: Number.POSITIVE_INFINITY });
      await stand.fakeApi.waitFor(allCompleted(1));
      const [call] = callsOf(stand.fakeApi);
      assert.deepEqual([...new Set(call?.received)], ['ringing', 'answered', 'completed']);
      assert.equal(stand.fakeApi.counts().inverted, 0);
      assert.ok(stand.fakeApi.counts().requests > 3, 'the fault did not happen');
    });

  test('is down for the whole call, and for a restart of the bridge', async (t) => {
    const stand = await createStand(t);
    stand.fakeApi.inject(always({ kind: 'reset', when: 'before' }));
    await stand.start();
    await stand.pbx.play(each.recording, { speed: Number.POSITIVE_INFINITY });
    await stand.caughtUp();
    await stand.stop();
    await stand.start();
    stand.fakeApi.inject(undefined);
    await stand.fakeApi.waitFor(allCompleted(1));
    assertRight(callsOf(stand.fakeApi), ['ringing', 'answered', 'completed'], 1);
  });
});
