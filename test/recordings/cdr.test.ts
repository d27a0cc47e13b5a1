import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createRules } from '../../src/calls/rules.ts';
import { createCsvSource } from '../../src/cdr/csv-source.ts';
import { noLiveCalls } from '../../src/cdr/gap-filler.fixture.ts';
import { createGapFiller } from '../../src/cdr/gap-filler.ts';
import { callsSection } from '../../src/config/calls-section.ts';
import { loadConfig } from '../../src/config/env.ts';
import { silentLog } from '../../src/log/log.ts';
import type { Batch } from '../../src/outbox/outbox.ts';
import { office } from '../asterisk/offices.ts';
import { recordingFolder } from '../asterisk/record.ts';
import { expectedCalls } from '../asterisk/row.ts';
import { rowsOf, worldNames } from '../asterisk/worlds.ts';
import { type ExpectedCall, readScenarios, type Scenario } from './library.ts';

/** What is reported of a recorded row from its call records alone, where that is not what happened: see the row. */
function markedCalls(name: string): { why: string; calls: Omit<ExpectedCall, 'uniqueid'>[] } | undefined {
  const [folder, rowName] = name.split('/');
  const world = worldNames.find((each) => recordingFolder(each) === folder);
  if (world === undefined) return undefined;
  const { row, index } = rowsOf(world).find((each) => each.row.name === rowName) ?? {};
  const marked = row?.fromRecords;
  return marked && { why: marked.why, calls: expectedCalls(marked, index ?? 0, office(1)) };
}

/** What the gap filler reports of a recorded scenario that was not heard live. */
async function reportedOf({ name, settings }: Scenario): Promise<ExpectedCall[]> {
  const { calls } = loadConfig({ calls: callsSection }, { DEFAULT_COUNTRY: 'DE', ...settings });
  const source = createCsvSource(fileURLToPath(new URL(`${name}/cdr.csv`, import.meta.url)));
  const events: Batch['events'][number][] = [];
  const filler = createGapFiller(
    {
      source: { ...source, end: async () => source.positionOf({ inode: 0, offset: 0, tail: '' }) },
      checkpoint: undefined,
      keepMs: 0,
    },
    {
      ...noLiveCalls,
      rules: () => createRules(calls),
      trunks: () => new Set(['PJSIP/trunk', 'SIP/trunk']),
    },
    {
      outbox: {
        async append(batch) {
          events.push(...batch.events);
          return { nextEvents: [], repeated: [] };
        },
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
    const reported = bodies.map(({ status, caller_id }) =>
      caller_id === undefined ? { status } : { status, caller_id },
    );
    return { uniqueid: callId.slice('pbx-'.length), from: bodies[0].from, reported };
  });
}

const byId = (a: ExpectedCall, b: ExpectedCall) => a.uniqueid.localeCompare(b.uniqueid);

describe("every recorded call that was not heard live is reported from Asterisk's own records", async () => {
  const scenarios = readScenarios();
  const all = await Promise.all(
    scenarios.map(async (scenario) => ({ scenario, reported: (await reportedOf(scenario)).sort(byId) })),
  );
  for (const { scenario, reported } of all) {
    const expected = [...scenario.calls].sort(byId);
    const marked = markedCalls(scenario.name);
    if (marked === undefined) test(scenario.name, () => assert.deepEqual(reported, expected));
    else
      test(`${scenario.name}: differently, since ${marked.why}`, () => {
        assert.deepEqual(
          reported.map(({ from, reported }) => ({ from, reported })),
          marked.calls,
        );
        assert.notDeepEqual(reported, expected, 'if they are the same now, this is no exception any more');
      });
  }

  test('with all kinds of calls', () => {
    const calls = all.flatMap(({ reported }) => reported);
    assert.ok(calls.length > 120);
    assert.ok(new Set(calls.map(({ reported }) => reported.at(-1)?.caller_id)).size > 5);
  });
});
