import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createRules } from '../../src/calls/rules.ts';
import { judge, missingOf } from '../../src/cdr/cdr-verdict.ts';
import { parseLine } from '../../src/cdr/csv-line.ts';
import { createDialledLegs } from '../../src/cdr/dialled-legs.ts';
import { callsSection } from '../../src/config/calls-section.ts';
import { loadConfig } from '../../src/config/env.ts';
import { type ExpectedCall, readScenarios, type Scenario } from './library.ts';

/** Where Asterisk's own records do not say what a person at the telephone would: what is told from them instead; nothing, without `from`. */
const otherwise: Readonly<Record<string, { why: string; from?: string; callerId: string }>> = {
  'number-restricted': {
    why: 'a record has the number that the caller withholds and the trunk shows, and not that it does',
    from: '+494066969777',
    callerId: '1001',
  },
  'number-restricted-number-set': { why: 'the same', from: '+494066969777', callerId: '1001' },
  'number-rewritten': {
    why: 'a record has the number that the dialplan made of it, not what the trunk presented',
    from: '004066969123',
    callerId: '1001',
  },
  'number-replaced': { why: 'the same, and a name is no number', callerId: '1001' },
  'reception-by-callerid': {
    why: "a record has no caller id of the other end, so it is told by its phone's name",
    from: '+494066969108',
    callerId: '1005',
  },
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
  const legs = createDialledLegs();
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
    const other = otherwise[scenario.name.split('/')[1] ?? ''];
    if (other === undefined) test(scenario.name, () => assert.deepEqual(told, expected));
    else
      test(`${scenario.name}: otherwise, since ${other.why}`, () => {
        const { from, callerId: caller_id } = other;
        const states: ExpectedCall['told'] = [
          { status: 'ringing' },
          { status: 'answered', caller_id },
          { status: 'completed', caller_id },
        ];
        const [record] = recordsOf(scenario.name);
        assert.deepEqual(
          told,
          from === undefined ? [] : [{ uniqueid: record?.uniqueid, from, told: states }],
        );
        assert.notDeepEqual(told, expected, 'if they are the same now, it is no exception any more');
      });
  }

  test('with all kinds of calls', () => {
    const calls = scenarios.flatMap((scenario) => toldOf(scenario));
    assert.ok(calls.length > 120);
    assert.ok(new Set(calls.map(({ told }) => told.at(-1)?.caller_id)).size > 5);
  });
});
