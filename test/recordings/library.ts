import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseRecording, type Recording } from '../../src/bridge/ami/recording/recording.ts';
import type { CallStatus } from '../../src/shared/api/contract/call-status.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** What must be reported of a recorded call. */
export type ExpectedCall = {
  readonly uniqueid: string;
  readonly from: string;
  readonly reported: readonly { readonly status: CallStatus; readonly caller_id?: string }[];
};

export const byId = (a: ExpectedCall, b: ExpectedCall) => a.uniqueid.localeCompare(b.uniqueid);

/** A recording of a real Asterisk, with what a telephone person says must be reported of it. */
export type Scenario = {
  /** `asterisk-22/ring-group-one-answers`. */
  readonly name: string;
  readonly recording: Recording;
  readonly calls: readonly ExpectedCall[];
  /** Settings of the bridge that the scenario needs. */
  readonly settings: Readonly<Record<string, string>>;
};

/** All recorded scenarios, or those whose name contains `part`. */
export function readScenarios(part = ''): Scenario[] {
  return globSync('*/*/expected.json', { cwd: root })
    .map((path) => dirname(path))
    .filter((name) => name.includes(part))
    .sort()
    .map((name) => {
      const { calls, settings = {} } = JSON.parse(
        readFileSync(join(root, name, 'expected.json'), 'utf8'),
      ) as {
        calls: ExpectedCall[];
        settings?: Record<string, string>;
      };
      const recording = parseRecording(readFileSync(join(root, name, 'ami.jsonl'), 'utf8'));
      return { name, recording, calls, settings };
    });
}

/** The scenario of this name; fails if it was not recorded. */
export function scenario(name: string): Scenario {
  const found = readScenarios(name).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no recording ${name}`);
  return found;
}
