import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createPlayer } from '../../src/ami/player/player.ts';
import { systemClock } from '../../src/process/clock.ts';
import { startFarSide } from '../fakes/far-side.ts';
import { runProgram } from '../integration/program.ts';
import { markerCall } from '../integration/stand.ts';
import { readScenarios, type Scenario } from './library.ts';

/**
 * Plays every recording to the bridges of two checkouts and compares the requests that arrive:
 * `node test/recordings/compare-trees.ts OLD [NEW] [--only PART]`. NEW is this checkout when absent.
 * For a change of structure, which must not change what is reported. Exit code 1 if anything differs.
 */
const args = process.argv.slice(2);
const only = args.includes('--only') ? args.splice(args.indexOf('--only'), 2)[1] : '';
const [older, newer = '.'] = args;
if (older === undefined)
  throw new Error('which checkout is the old one? node test/recordings/compare-trees.ts OLD');

const scenarios = readScenarios(only);
let different = 0;
let requests = 0;
for (const scenario of scenarios) {
  const [before, after] = await Promise.all([requestsOf(older, scenario), requestsOf(newer, scenario)]);
  requests += Object.values(after).flat().length;
  if (isDeepStrictEqual(before, after)) continue;
  different += 1;
  print(`${scenario.name}\n  old: ${JSON.stringify(before)}\n  new: ${JSON.stringify(after)}`);
}
print(`${scenarios.length - different} of ${scenarios.length} recordings: the same requests (${requests})`);
process.exitCode = different === 0 ? 0 : 1;

/** The bodies of the call events that the bridge of a checkout posts of a recording, in order for each call. */
async function requestsOf(
  tree: string,
  { recording, settings }: Scenario,
): Promise<Record<string, unknown[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-compare-'));
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
  const { port } = await pbx.listen();
  const farSide = await startFarSide({ token: 'a-token' });
  const bridge = runProgram(['run'], {
    cli: resolve(tree, 'src/cli.ts'),
    cwd: folder,
    env: {
      AMI_PORT: String(port),
      AMI_USERNAME: 'bridge',
      AMI_SECRET: 'sesame',
      API_BASE_URL: farSide.baseUrl,
      API_TOKEN: 'a-token',
      DEFAULT_COUNTRY: 'DE',
      AGI_LISTEN: 'off',
      STATUS_LISTEN: 'off',
      LOG_FORMAT: 'json',
      ...settings,
    },
  });
  try {
    await bridge.says(/ami\.connected/);
    await pbx.play(recording, { speed: Number.POSITIVE_INFINITY, rename: false });
    // What this call reports comes after all that the recording reports of calls that are over.
    const { id, frames } = markerCall();
    for (const [index, state] of (['ringing', 'completed'] as const).entries()) {
      pbx.send(frames[index] as string);
      await farSide.waitFor((seen) => seen.calls().get(id)?.received.includes(state) === true, 30_000);
    }
    await farSide
      .waitFor((seen) => [...seen.calls().values()].every(({ state }) => state === 'completed'))
      .catch(() => wait(500)); // a recording may end before its calls do
    const bodies = farSide
      .requests()
      .filter(({ method, path }) => method === 'POST' && path === '/voice/call')
      .map(({ payload }) => payload as { id: string })
      .filter((event) => event.id !== id);
    return Object.fromEntries(
      [...Map.groupBy(bodies, (event) => event.id)].sort(([a], [b]) => a.localeCompare(b)),
    );
  } finally {
    await bridge.end();
    await pbx.close();
    await farSide.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
