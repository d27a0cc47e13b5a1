import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CallStatus, callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { cannotInstall, installPackages } from '../tools/debian.ts';
import {
  createOffice,
  eventsOf,
  firstReceived,
  type Half,
  type HalfOptions,
  heldAtTheEnd,
  playDay,
} from '../tools/program/pair.ts';

/**
 * Two bridges on one PBX, without any coordination: whatever happens to one of them, the API
 * holds what it holds with a single bridge and no faults.
 */
const day = { seed: 7, calls: 48, talkMs: 1_500 } as const;

const faketime = `/usr/lib/${arch() === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
const noFaketime = () => (existsSync(faketime) ? undefined : cannotInstall());

/** The first version whose service and bridge were whole, from this repository's own history. */
const older = '0b4c2289dd132aaeaefcf30db107c0efc59b4809';

const olderTree = mkdtempSync(join(tmpdir(), 'pbx-bridge-older-'));
after(() => rmSync(olderTree, { recursive: true }));

/** Why it cannot be had; undefined once it lies there. */
function unpackOlder(): string | undefined {
  const archive = spawnSync('git', ['archive', older, 'src', 'package.json'], { maxBuffer: 1 << 28 });
  if (archive.status !== 0) return `this clone does not reach back to ${older.slice(0, 7)}`;
  const unpacked = spawnSync('tar', ['-x', '-C', olderTree], { input: archive.stdout });
  if (unpacked.status !== 0) return `tar: ${unpacked.stderr}`;
  symlinkSync(realpathSync('node_modules'), join(olderTree, 'node_modules'));
  return undefined;
}

type At = (part: number) => Promise<void>;
type Row = {
  readonly one?: HalfOptions;
  readonly needs?: () => string | undefined;
  /** What happens to them while the day goes on: only ever one of them is in trouble. */
  readonly faults: (one: Half, other: Half, at: At) => Promise<void>;
};

const rows: Readonly<Record<string, Row>> = {
  'nothing happens': { faults: async () => {} },
  'kill -9 of one, and of the other': {
    async faults(one, other, at) {
      for (const [half, part] of [
        [one, 0.1],
        [other, 0.6],
      ] as const) {
        await at(part);
        await half.kill();
        await at(part + 0.2);
        await half.start();
      }
    },
  },
  'one sleeps for 60 s and wakes': {
    async faults(one, _, at) {
      await at(0.1);
      one.program().process.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      one.program().process.kill('SIGCONT');
    },
  },
  'the link to the PBX is cut': {
    async faults(one, _, at) {
      await at(0.2);
      one.toPbx.pull();
      await at(0.5);
      one.toPbx.putBack();
    },
  },
  'the link to the API is cut': {
    async faults(one, other, at) {
      await at(0.1);
      one.toApi.pull();
      await at(0.5);
      one.toApi.putBack();
      await one.atRest();
      other.toApi.pull();
      await at(1);
      other.toApi.putBack();
    },
  },
  'it is a version older': {
    one: { cli: join(olderTree, 'src/cli.ts') },
    needs: () => unpackOlder(),
    faults: async () => {},
  },
  'its clock is minutes ahead': { one: clockAt('+7m'), needs: noFaketime, faults: async () => {} },
  'its clock is minutes behind': { one: clockAt('-7m'), needs: noFaketime, faults: async () => {} },
};

describe('two bridges on one PBX', { concurrency: 4 }, () => {
  before(async () => {
    if (cannotInstall() === undefined) await installPackages({ [faketime]: 'faketime' });
  });
  const alone = createOffice(day).then(async (office) => {
    await office.addBridge('only');
    await playDay(office).over;
    const held = await heldAtTheEnd(office);
    await office.close();
    return held;
  });
  for (const [name, { one: options, needs, faults }] of Object.entries(rows))
    test(name, { skip: needs?.() ?? false }, async (t) => {
      const office = await createOffice(day);
      t.after(office.close);
      const [one, other] = await Promise.all([office.addBridge('one', options), office.addBridge('other')]);
      const { over, at } = playDay(office);
      await Promise.all([over, faults(one, other, at)]);
      await heldAtTheEnd(office);
      // The one that was away says what it has to say, too: it must change nothing.
      await Promise.all([one.atRest(), other.atRest()]);
      assert.deepEqual(Object.fromEntries(await heldAtTheEnd(office)), Object.fromEntries(await alone));
      for (const [id, states] of firstReceived(office)) assert.deepEqual(states, inOrder(states), id);
    });

  const standby = (ms: string): HalfOptions => ({ settings: { STANDBY_DELAY_MS: ms } });

  test('one stands by: while the other works it reports nothing, and asks little', async (t) => {
    const office = await createOffice(day);
    t.after(office.close);
    const one = await office.addBridge('one');
    const other = await office.addBridge('other', standby('20000'));
    await playDay(office).over;
    await heldAtTheEnd(office);
    await Promise.all([one.atRest(), other.atRest()]);
    assert.deepEqual(Object.fromEntries(await heldAtTheEnd(office)), Object.fromEntries(await alone));
    const { moved, repeated, requests } = office.fakeApi.counts();
    assert.deepEqual([moved, repeated], [eventsOf(office), 0]);
    assert.ok(requests - moved < moved / 2, `${requests - moved} requests to look, for ${moved} events`);
  });

  test('one stands by: when the other dies it reports all that the other has not', async (t) => {
    const office = await createOffice(day);
    t.after(office.close);
    const one = await office.addBridge('one');
    const other = await office.addBridge('other', standby('500'));
    const { over, at } = playDay(office);
    await at(0.4);
    await one.kill();
    await over;
    await other.atRest();
    assert.deepEqual(Object.fromEntries(await heldAtTheEnd(office)), Object.fromEntries(await alone));
    for (const [id, states] of firstReceived(office)) assert.deepEqual(states, inOrder(states), id);
  });

  test('a pair that is in trouble at once does lose calls: the comparison can fail', async (t) => {
    const office = await createOffice(day);
    t.after(office.close);
    const halves = await Promise.all([office.addBridge('one'), office.addBridge('other')]);
    const { over, at } = playDay(office);
    await at(0.3);
    await Promise.all(halves.map((half) => half.kill()));
    await over;
    await Promise.all(halves.map((half) => half.start()));
    await Promise.all(halves.map((half) => half.atRest()));
    assert.notDeepEqual([...office.fakeApi.calls().keys()].sort(), [...(await alone).keys()]);
  });
});

const inOrder = (states: readonly CallStatus[]) => callStatuses.filter((status) => states.includes(status));

function clockAt(offset: string): HalfOptions {
  return { env: { LD_PRELOAD: faketime, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' } };
}
