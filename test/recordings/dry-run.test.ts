import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMasker } from '../../src/ami/recording/mask.ts';
import { inputsOf } from '../../src/ami/recording/recorded-inputs.ts';
import type { Recording } from '../../src/ami/recording/recording.ts';
import { dryRun } from '../../src/calls/explain/dry-run.ts';
import { createRules } from '../../src/calls/rules.ts';
import { createTracker } from '../../src/calls/tracker.ts';
import { callsSection } from '../../src/config/calls-section.ts';
import { loadConfig } from '../../src/config/env.ts';
import { readScenarios } from './library.ts';

/** What is reported, as `expected.json` writes it, whoever calls. */
function reported(recording: Recording, settings: Readonly<Record<string, string>>) {
  const byCall = Map.groupBy(inDryRun(recording, settings).reports, ({ id }) => id);
  return [...byCall].map(([id, events]) => ({
    uniqueid: id.slice('pbx-'.length),
    from: events[0]?.from ?? '',
    reported: events.map(({ status, callerId }) => ({ status, ...(callerId && { caller_id: callerId }) })),
  }));
}

function inDryRun(recording: Recording, settings: Readonly<Record<string, string>>) {
  const { calls } = loadConfig({ calls: callsSection }, { DEFAULT_COUNTRY: 'DE', ...settings });
  return dryRun(calls, inputsOf(recording));
}

test('two trackers that hear the same recordings, one after the other, want the same at every step', () => {
  const { calls: settings } = loadConfig({ calls: callsSection }, { DEFAULT_COUNTRY: 'DE' });
  const [one, other] = [1, 2].map(() => createTracker(createRules(settings), { calls: [], trunks: [] }));
  for (const { name, recording } of readScenarios())
    for (const input of inputsOf(recording)) assert.deepEqual(one?.apply(input), other?.apply(input), name);
});

describe('pbx-bridge replay gives for every recording what the bridge reports, also when it is masked', () => {
  const mask = createMasker(Buffer.from('for this test'));
  const texts = (rows: readonly string[]) => rows.map((row) => mask(Buffer.from(row)).toString());
  for (const { name, recording, calls, settings } of readScenarios())
    test(name, () => {
      assert.deepEqual(reported(recording, settings), calls);
      const { journal } = inDryRun(recording, settings);
      assert.ok(
        calls.length > 0 || journal.some(({ kind }) => kind === 'not-reported'),
        'why nothing is reported, is said',
      );
      const masked = {
        ...recording,
        channels: texts(recording.channels),
        bridges: texts(recording.bridges),
        frames: recording.frames.map(({ ms, frame }) => ({ ms, frame: mask(frame) })),
      };
      const shape = (all: typeof calls) =>
        all.map((call) => [call.uniqueid, call.from.length, call.reported.map(({ status }) => status)]);
      assert.deepEqual(shape(reported(masked, settings)), shape(calls));
    });
});
