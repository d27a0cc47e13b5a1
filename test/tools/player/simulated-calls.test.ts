import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inputsOf } from '../../../src/bridge/ami/recording/recording.ts';
import { dryRun } from '../../../src/bridge/calls/explain/dry-run.ts';
import { callSettings } from '../../../src/bridge/calls/rules.fixture.ts';
import { createPbxModel } from './pbx-model.ts';
import { scenarioNames, simulateCall } from './simulated-calls.ts';

const options = { second: 1_763_600_000, index: 7, random: () => 0.5, talkMs: 30_000 };

describe('a simulated call leaves nothing behind on a PBX that plays it for weeks', () => {
  for (const scenario of scenarioNames)
    test(scenario, () => {
      const model = createPbxModel();
      for (const { frame } of simulateCall(scenario, options).frames) model.apply(Buffer.from(frame));
      assert.deepEqual([...model.channels(), ...model.bridges()], []);
    });
});

describe('a simulated call is reported as it says', () => {
  for (const scenario of scenarioNames)
    test(scenario, () => {
      const { frames, reported } = simulateCall(scenario, options);
      const startedAt = options.second * 1_000;
      const recording = {
        asterisk: '',
        row: '',
        startedAt,
        channels: [],
        bridges: [],
        frames: frames.map(({ ms, frame }) => ({ ms, frame: Buffer.from(frame) })),
      };
      const found = dryRun(callSettings, inputsOf(recording));
      assert.deepEqual(
        found.reports.map(({ status }) => status),
        reported,
      );
      assert.ok(frames.length >= 5);
      assert.deepEqual(
        frames.map(({ ms }) => ms),
        frames.map(({ ms }) => ms).sort((a, b) => a - b),
      );
    });
});
