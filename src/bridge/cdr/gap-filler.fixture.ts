import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { callSettings } from '../calls/rules.fixture.ts';
import { createRules } from '../calls/rules.ts';
import { keepingLog, opened } from '../outbox/outbox.fixture.ts';
import { type RecordSource, usualRecords } from './cdr-source.ts';
import { createCsvSource } from './csv-source.ts';
import { createGapFiller } from './gap-filler.ts';
import type { LiveCalls } from './live-calls.ts';

export const now = 1_800_000_100_000;

export const rules = createRules({ ...callSettings, defaultCountry: 'DE' });

type LineOptions = { src?: string; by?: string; began?: number; uniqueid?: string; context?: string };

/** A line of Master.csv; `began` is the seconds in its uniqueid. */
export function line(nth: number, options: LineOptions = {}) {
  const { src = '04066969100', by = '', began = 1_800_000_101, context = 'from-trunk' } = options;
  const { uniqueid = `${began}.${nth}` } = options;
  const channel = `PJSIP/trunk-${String(nth).padStart(8, '0')}`;
  const texts = ['', src, '493012', context, '', channel, by, 'Dial', '', '2026-11-20 06:00:00', '', ''];
  const rest = [by === '' ? 'NO ANSWER' : 'ANSWERED', 'DOCUMENTATION', uniqueid];
  return `${texts.map((text) => `"${text}"`).join()},9,9,${rest.map((text) => `"${text}"`).join()}\n`;
}

export const noLiveCalls: LiveCalls = {
  snapshots: () => 0,
  rules: () => rules,
  trunks: () => new Set(),
  isPhone: () => false,
  presumesWithheld: () => false,
  recordOptions: () => usualRecords,
  knownAs: () => undefined,
  knownFrom: () => undefined,
  vanished: () => new Set(),
  end: () => assert.fail('no call is open'),
  writeJournal() {},
  logDecision() {},
};

/** A file of records, and a bridge that can be started on it again and again, with one outbox. */
export async function scene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'filler-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'Master.csv');
  const csv: RecordSource<unknown> = createCsvSource(path);
  const log = keepingLog();
  const outbox = await opened(t, { directory: join(folder, 'state') });
  const nextEvents: string[] = [];
  const clock = { now };
  const checkpointOf = async () => (await outbox.load()).cdrCheckpoint;
  return {
    path,
    csv,
    log,
    outbox,
    nextEvents,
    clock,
    codes: () => log.lines.map(({ code }) => code),
    checkpointOf,
    write: (text: string) => appendFileSync(path, text),
    async start(
      live: Partial<LiveCalls> = {},
      {
        written = async () => true,
        everyMs = 2 ** 30,
        source = {} as Partial<RecordSource<unknown>>,
        sendsExtras = false,
      } = {},
    ) {
      const filler = createGapFiller(
        {
          source: { ...csv, ...source },
          checkpoint: await checkpointOf(),
          keepMs: 0,
          everyMs,
        },
        {
          ...noLiveCalls,
          logDecision: (decision, call, why) => log.say(`call.${decision}`, { call, why }),
          ...live,
        },
        {
          outbox: { ...outbox, written },
          onAppended: (taken) =>
            nextEvents.push(...taken.nextEvents.map(({ callId, status }) => `${callId} ${status}`)),
          log,
          now: () => clock.now,
          sendsExtras,
        },
      );
      await filler.start();
      t.after(() => filler.stop());
      return {
        ...filler,
        async reads(count: number) {
          for (let nth = 0; nth < count; nth++) while (await filler.read());
        },
      };
    },
    async reportedOf(uniqueid: string) {
      return (await outbox.eventsOf(`pbx-${uniqueid}`)).map(({ body }) => JSON.parse(body));
    },
  };
}

/** A call that is gone, and how it ended. */
export function lostCalls() {
  const vanished = new Set(['1800000101.1']);
  const ended: object[] = [];
  const live: Partial<LiveCalls> = {
    vanished: () => vanished,
    knownAs: (uniqueid) => (vanished.has(uniqueid) ? uniqueid : undefined),
    end({ at: _, ...call }) {
      ended.push(call);
      vanished.delete(call.uniqueid);
    },
  };
  const number = { from: '+494066969100', how: 'as dialled in DE' };
  const facts = { channel: 'PJSIP/trunk-00000001' };
  const answered = { uniqueid: '1800000101.1', number, facts, callerId: '1001' };
  return { live, ended, answered };
}
