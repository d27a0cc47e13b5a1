import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { toInput } from '../../src/bridge/ami/events.ts';
import { createMasker } from '../../src/bridge/ami/recording/mask.ts';
import { inputsOf, type Recording } from '../../src/bridge/ami/recording/recording.ts';
import { createEventGuard } from '../../src/bridge/ami/wire/event-guard.ts';
import { createFramer } from '../../src/bridge/ami/wire/framer.ts';
import { dryRun } from '../../src/bridge/calls/explain/dry-run.ts';
import type { Input } from '../../src/bridge/calls/input.ts';
import { createRules } from '../../src/bridge/calls/rules.ts';
import { createTracker } from '../../src/bridge/calls/tracker.ts';
import { createCsvSource } from '../../src/bridge/cdr/csv-source.ts';
import { isOutgoing } from '../../src/bridge/cdr/dialled-legs.ts';
import { noLiveCalls } from '../../src/bridge/cdr/gap-filler.fixture.ts';
import { createGapFiller } from '../../src/bridge/cdr/gap-filler.ts';
import { createPastReader } from '../../src/bridge/cdr/past-reader.ts';
import type { Batch } from '../../src/bridge/outbox/outbox.ts';
import { callsSection } from '../../src/cli/config/calls-section.ts';
import { loadConfig } from '../../src/cli/config/env.ts';
import { callLines, compareCalls, maskedLine, parseExpected } from '../../src/cli/expected-calls.ts';
import { journalText } from '../../src/cli/explain/journal-text.ts';
import { callExtrasSchema } from '../../src/shared/api/contract/call-extras.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { recordingFolder } from '../asterisk/record.ts';
import { rowsOf, worldNames } from '../asterisk/worlds.ts';
import { office } from '../tools/lab/offices.ts';
import { expectedCalls, whoFaults } from '../tools/lab/row.ts';
import { byId, type ExpectedCall, readScenarios, type Scenario } from './library.ts';

const scenarios = readScenarios();
const settingsOf = ({ settings }: Scenario) =>
  loadConfig({ calls: callsSection }, { DEFAULT_COUNTRY: 'DE', ...settings }).calls;

test('the call events of every recording are read the same, however its bytes are split and its lines end', () => {
  const wrong = scenarios.filter(({ recording }) => {
    const expected = inputsOf(recording)
      .filter(({ type }) => type !== 'snapshot' && type !== 'presentation')
      .map((input) => ({ ...input, at: 0 }));
    const text = `Asterisk Call Manager/9.0.0\r\n${recording.frames
      .map(({ frame }) => `${frame.toString('latin1')}\r\n\r\n`)
      .join('')}`;
    return ![text, text.replaceAll('\r\n', '\n')].every((stream, nth) =>
      isDeepStrictEqual(decode(Buffer.from(stream, 'latin1'), [7, 1_001][nth] as number), expected),
    );
  });
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test('the same calls are answered if Asterisk keeps Newstate back', () => {
  const wrong = scenarios.filter((one) => {
    const answers = (inputs: readonly Input[]) =>
      callLines(dryRun(settingsOf(one), inputs).journal).map((line) => line.replace(/ -> missed.*/, ''));
    const inputs = inputsOf(one.recording);
    const without = inputs.filter(({ type }) => type !== 'channel-state');
    return !isDeepStrictEqual(answers(without), answers(inputs));
  });
  // In these, phones ring in the bridge: the list of channels shows who has picked up.
  assert.deepEqual(
    wrong.map(({ name }) => name).filter((name) => !name.endsWith('/stasis-answered')),
    [],
  );
});

test('the calls of every recording are lines of a file that expects them', () => {
  const wrong = scenarios.flatMap((one) => {
    const lines = callLines(dryRun(settingsOf(one), inputsOf(one.recording)).journal);
    const isSame = compareCalls(parseExpected(lines.map(maskedLine).join('\n')), lines).every(
      ({ is }) => is === 'same',
    );
    const answered = lines.filter((line) => line.includes(' -> answered ')).length;
    const reported = one.calls.filter(({ reported: events }) =>
      events.some(({ status }) => status === 'answered'),
    );
    return isSame && answered === reported.length ? [] : [[one.name, lines]];
  });
  assert.deepEqual(wrong, []);
});

/** The inputs of the call events in a stream that arrives in pieces of this size. */
function decode(stream: Buffer, size: number): Input[] {
  const inputs: Input[] = [];
  const guard = createEventGuard({
    onEvent(event, fields) {
      const input = toInput(event, fields, 0);
      if (input) inputs.push(input);
    },
    onOther: () => {},
    isAnswer: () => false,
    onLineBreak: () => {},
    onRefused: () => {},
  });
  const framer = createFramer({
    onGreeting: () => {},
    onFrame: (bytes, event) => guard.push({ bytes, event, at: 0 }),
    onTooLong: assert.fail,
  });
  for (let start = 0; start < stream.length; start += size) {
    // Overwritten afterwards: nothing that is kept may be a part of it.
    const piece = Buffer.from(stream.subarray(start, start + size));
    framer.push(piece);
    piece.fill('X');
  }
  guard.end();
  return inputs;
}

test('two trackers that hear all recordings, one after the other, want the same at every step', () => {
  const { calls } = loadConfig({ calls: callsSection }, { DEFAULT_COUNTRY: 'DE' });
  const [one, other] = [1, 2].map(() => createTracker(createRules(calls), { calls: [], trunks: [] }));
  for (const { name, recording } of scenarios)
    for (const input of inputsOf(recording)) assert.deepEqual(one?.apply(input), other?.apply(input), name);
});

test('pbx-bridge replay reports of every recording what happened, also when it is masked, and why of none nothing', () => {
  const mask = createMasker(Buffer.from('for this test'));
  const texts = (rows: readonly string[]) => rows.map((row) => mask(Buffer.from(row)).toString());
  const shape = (all: readonly ExpectedCall[]) =>
    all.map((call) => [call.uniqueid, call.from.length, call.reported.map(({ status }) => status)]);
  const wrong = scenarios.filter((scenario) => {
    const { recording, calls } = scenario;
    const reported = inDryRun(recording, scenario);
    const masked = inDryRun(
      {
        ...recording,
        channels: texts(recording.channels),
        bridges: texts(recording.bridges),
        frames: recording.frames.map(({ ms, frame }) => ({ ms, frame: mask(frame) })),
      },
      scenario,
    );
    const isExplained = calls.length > 0 || reported.journal.some(({ kind }) => kind === 'not-reported');
    const isMasked = isDeepStrictEqual(shape(masked.calls), shape(calls));
    return !(isDeepStrictEqual(reported.calls, calls) && isMasked && isExplained);
  });
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

// biome-ignore format: an office a line
const offices: readonly (readonly [what: string, extension: string, settings: Readonly<Record<string, string>>])[] = [
  ['extensions of five digits', '10$1', {}],
  ['phones of the user panel', '991$1', { DEVICE_NAMES: '99*=*' }],
  ['phones of the user panel of extensions of five digits', '9910$1', { DEVICE_NAMES: '99*=*' }],
  ['machines', '10$1', { NOT_A_PERSON: 'PJSIP/10001' }],
];
for (const [what, extension, settings] of offices)
  test(`two masked recordings of the same calls have the same lines: ${what}`, () => {
    const linesOf = (scenario: Scenario, key?: string) => {
      const mask = createMasker(Buffer.from(key ?? ''), {
        rules: createRules(settingsOf({ ...scenario, settings: { ...scenario.settings, ...settings } })),
      });
      const { channels, bridges, frames, ...header } = scenario.recording;
      const rewritten = (frame: Buffer) => {
        const text = Buffer.from(
          frame.toString('latin1').replace(/(?<![\w.-])1(00[1-9])\b(?!\.\d)/g, extension),
          'latin1',
        );
        return key === undefined ? text : mask(text);
      };
      const texts = (list: readonly string[]) => list.map((text) => rewritten(Buffer.from(text)).toString());
      const recording = {
        ...header,
        channels: texts(channels),
        bridges: texts(bridges),
        frames: frames.map(({ ms, frame }) => ({ ms, frame: rewritten(frame) })),
      };
      const { journal } = inDryRun(recording, {
        ...scenario,
        settings: { ...scenario.settings, ...settings },
      });
      return callLines(journal).map(maskedLine);
    };
    for (const scenario of readScenarios('freepbx-22/')) {
      const clear = linesOf(scenario);
      assert.deepEqual(linesOf(scenario, 'before'), clear, scenario.name);
      assert.deepEqual(linesOf(scenario, 'after'), clear, scenario.name);
    }
  });

test('what the journal says of any recording is one line each, without control characters and without what a caller forged', () => {
  const texts = scenarios.flatMap((scenario) =>
    inDryRun(scenario.recording, scenario).journal.map(
      (entry) => `${journalText(entry)} ${entry.number ?? ''}`,
    ),
  );
  assert.deepEqual(
    texts.filter((text) => /[\p{Cc}\u2028\u2029]|zz|Event:|Linkedid/u.test(text)),
    [],
  );
  assert.ok(texts.length > 500);
});

/** What is reported, as `expected.json` writes it. */
function inDryRun(recording: Recording, scenario: Scenario) {
  const { reports, journal } = dryRun(settingsOf(scenario), inputsOf(recording));
  const calls = [...Map.groupBy(reports, ({ id }) => id)].map(([id, events]) => ({
    uniqueid: id.slice('pbx-'.length),
    from: events[0]?.from ?? '',
    reported: events.map(({ status, callerId }) => ({ status, ...(callerId && { caller_id: callerId }) })),
  }));
  return { calls, journal };
}

for (const unanswered of ['yes', 'no'] as const)
  test(`every recorded call that was not heard live is reported from Asterisk's own records (unanswered=${unanswered})`, () =>
    recordsAreRight(unanswered));

async function recordsAreRight(unanswered: 'yes' | 'no'): Promise<void> {
  const all = await Promise.all(
    scenarios.map(async (scenario) => ({
      scenario,
      reported: (await fromRecords(scenario, unanswered)).sort(byId),
    })),
  );
  const wrong = all.filter(({ scenario, reported }) => {
    const isAsExpected = isDeepStrictEqual(reported, scenario.calls.toSorted(byId));
    if (unanswered === 'no' && pausedAtRinging.has(scenario.name)) return isAsExpected;
    const marked = markedCalls(scenario.name);
    if (marked === undefined) return !isAsExpected;
    // Where they are the same, the row is no exception any more.
    const shown = reported.map(({ from, reported }) => ({ from, reported }));
    return isAsExpected || !isDeepStrictEqual(shown, marked);
  });
  assert.deepEqual(
    wrong.map(({ scenario, reported }) => [scenario.name, reported, markedCalls(scenario.name)]),
    [],
  );
  assert.ok(all.flatMap(({ reported }) => reported).length > 120);
}

/**
 * Whose Asterisk has ended the record of the phone that was picked up when it began to ring. Without a record of that phone
 * it looks like a conversation after which another phone was called: config/operating.md says so.
 */
const pausedAtRinging: ReadonlySet<string> = new Set([
  'asterisk-18/pickup-after-announcement',
  'asterisk-20/pickup-after-announcement',
]);
test('the calls of the past are judged as those of a gap, in one event each', async () => {
  const wrong = await Promise.all(
    scenarios.map(async (scenario) => {
      const asGap = (await fromRecords(scenario, 'yes')).map(({ uniqueid, from, reported }) => ({
        uniqueid,
        from,
        is: reported.some(({ status }) => status === 'answered') ? 'answered' : 'missed',
        by: reported.at(-1)?.caller_id,
      }));
      const path = fileURLToPath(new URL(`${scenario.name}/cdr.csv`, import.meta.url));
      const source = createCsvSource(path);
      const live = {
        ...noLiveCalls,
        rules: () => createRules(settingsOf(scenario)),
        trunks: () => new Set(['PJSIP/trunk', 'SIP/trunk']),
      };
      const reader = createPastReader(
        source,
        { since: 0, until: Number.POSITIVE_INFINITY },
        (await source.beginning(0)).position,
        { live, ledgerEntries: async () => new Map() },
      );
      const { calls, atEnd } = await reader.read();
      assert.ok(atEnd);
      const asPast = calls.flatMap((call) => {
        if (!('event' in call)) return [];
        const { id, from, caller_id: by, status, extras } = call.event;
        assert.equal(status, 'completed');
        assert.equal(extras?.past?.began, new Date(call.began).toISOString());
        return [{ uniqueid: id.replace(/^pbx-/, ''), from, is: call.is, by }];
      });
      const sorted = (all: readonly { readonly uniqueid: string }[]) =>
        all.toSorted((a, b) => a.uniqueid.localeCompare(b.uniqueid));
      return isDeepStrictEqual(sorted(asPast), sorted(asGap)) ? [] : [[scenario.name, asPast, asGap]];
    }),
  );
  assert.deepEqual(wrong.flat(), []);
});

test('of every recording whose row says so, who rang and who talked', () => {
  const told = scenarios.flatMap((scenario) => {
    const { row } = rowOf(scenario.name);
    if (row?.who === undefined) return [];
    const { reports } = dryRun(settingsOf(scenario), inputsOf(scenario.recording));
    const own = reports.filter(({ id }) => id === `pbx-${scenario.calls[0]?.uniqueid}`);
    const extras = own.map((report) => callExtrasSchema.parse(report.extras));
    return [[scenario.name, ...whoFaults(row, office(1), extras)]];
  });
  assert.deepEqual(
    told.filter(([, ...faults]) => faults.length > 0),
    [],
  );
  assert.ok(told.length > 40);
});

/** The row that was recorded, and its place. */
function rowOf(name: string) {
  const [folder, rowName] = name.split('/');
  // The rows are those of the lab's versions, whichever version they were recorded on.
  const plain = folder?.startsWith('asterisk-') ? '22' : undefined;
  const world = worldNames.find((each) => recordingFolder(each) === folder) ?? plain;
  return (world && rowsOf(world).find((each) => each.row.name === rowName)) ?? { row: undefined, index: 0 };
}

/** What is reported of a recorded row from its call records alone, where that is not what happened: see the row. */
function markedCalls(name: string): Omit<ExpectedCall, 'uniqueid'>[] | undefined {
  const { row, index } = rowOf(name);
  return row?.fromRecords && expectedCalls(row.fromRecords, index, office(1));
}

/**
 * What the gap filler reports of a recorded scenario that was not heard live. With `unanswered=no`, Asterisk's default, there are
 * no records of legs that were not answered.
 */
async function fromRecords(scenario: Scenario, unanswered: 'yes' | 'no'): Promise<ExpectedCall[]> {
  const source = createCsvSource(fileURLToPath(new URL(`${scenario.name}/cdr.csv`, import.meta.url)));
  const events: Batch['events'][number][] = [];
  const filler = createGapFiller(
    {
      source: {
        ...source,
        end: async () => source.positionOf({ inode: 0, offset: 0, tail: '' }),
        async read(from: Parameters<typeof source.read>[0], how) {
          const chunk = await source.read(from, how);
          const isKept = ({ record }: (typeof chunk.entries)[number]) =>
            unanswered === 'yes' ||
            typeof record === 'string' ||
            !isOutgoing(record) ||
            record.disposition === 'ANSWERED';
          return { ...chunk, entries: chunk.entries.filter(isKept) };
        },
      },
      checkpoint: undefined,
      keepMs: 0,
    },
    {
      ...noLiveCalls,
      rules: () => createRules(settingsOf(scenario)),
      trunks: () => new Set(['PJSIP/trunk', 'SIP/trunk']),
    },
    {
      outbox: {
        async append(batch) {
          events.push(...batch.events);
          return { nextEvents: [], repeated: [] };
        },
        callIdsFrom: async () => new Map(),
        ledgerEntries: async () => new Map(),
        written: async () => true,
      },
      onAppended() {},
      log: silentLog,
      now: () => 0,
    },
  );
  for (let nth = 0; nth < 4; nth++) await filler.read();
  return [...Map.groupBy(events, ({ callId }) => callId)].map(([callId, own]) => {
    const bodies = own.map(({ body }) => JSON.parse(body));
    const reported = bodies.map(({ status, caller_id }) => ({ status, ...(caller_id && { caller_id }) }));
    return { uniqueid: callId.slice('pbx-'.length), from: bodies[0].from, reported };
  });
}
