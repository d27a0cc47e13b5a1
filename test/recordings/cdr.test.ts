import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createRules } from '../../src/calls/rules.ts';
import { judge, missingOf } from '../../src/cdr/cdr-verdict.ts';
import { parseLine } from '../../src/cdr/csv-line.ts';
import { createLegs } from '../../src/cdr/dialled-legs.ts';
import { callsSection } from '../../src/config/calls-section.ts';
import { loadConfig } from '../../src/config/env.ts';
import { type ExpectedCall, readScenarios, type Scenario } from './library.ts';

/** What Asterisk's own records do not say, so that the telephone person's word differs. */
const unknowable: Readonly<Record<string, string>> = {
  'number-restricted':
    'a record has the number that the caller withholds and the trunk shows, and not that it does',
  'number-restricted-number-set': 'the same',
  'number-rewritten': 'a record has the number that the dialplan made of it, not what the trunk presented',
  'number-replaced': 'the same',
  'reception-by-callerid': "a record has no caller id of the other end, so it is told by its phone's name",
};

const recordsOf = (name: string) =>
  readFileSync(fileURLToPath(new URL(`${name}/cdr.csv`, import.meta.url)), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine)
    .filter((record) => typeof record !== 'string');

/** All that is told of a recorded scenario if nobody heard it. */
function toldOf({ name, settings }: Scenario): ExpectedCall[] {
  const { calls } = loadConfig({ calls: callsSection }, { DEFAULT_COUNTRY: 'DE', ...settings });
  const legs = createLegs();
  const records = recordsOf(name);
  for (const record of records) legs.add(record);
  const known = { rules: createRules(calls), trunks: new Set(['PJSIP/trunk', 'SIP/trunk']), legs };
  return [...Map.groupBy(records, ({ uniqueid }) => uniqueid)].flatMap(([uniqueid, own]) => {
    const verdict = judge(known, own);
    if (!verdict.inbound || verdict.from === '') return [];
    const told = missingOf([], verdict).map((status) =>
      status === 'ringing' || verdict.callerId === undefined
        ? { status }
        : { status, caller_id: verdict.callerId },
    );
    return [{ uniqueid, from: verdict.from, told }];
  });
}

const byId = (a: ExpectedCall, b: ExpectedCall) => a.uniqueid.localeCompare(b.uniqueid);

describe("every recorded call, if nobody heard it, is told from Asterisk's own records as it should be", () => {
  const scenarios = readScenarios();
  for (const scenario of scenarios) {
    const told = toldOf(scenario).sort(byId);
    const expected = [...scenario.calls].sort(byId);
    const why = unknowable[scenario.name.split('/')[1] ?? ''];
    if (why === undefined) test(scenario.name, () => assert.deepEqual(told, expected));
    else test(`${scenario.name}: not, since ${why}`, () => assert.notDeepEqual(told, expected));
  }

  test('with all kinds of calls', () => {
    const calls = scenarios.flatMap((scenario) => toldOf(scenario));
    assert.ok(calls.length > 120);
    assert.ok(new Set(calls.map(({ told }) => told.at(-1)?.caller_id)).size > 5);
  });
});
