import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startLoad } from '../faults/load.ts';
import { createRig } from '../faults/rig.ts';
import { seededRandom } from '../player/seeded-random.ts';
import { until } from '../until.ts';
import { median, percentile, print } from './compare.ts';

/**
 * End to end: a PBX with a given number of calls a second and an API in this process, and the bridge in one of its own. What a call
 * costs the bridge, its memory, and the times from the PBX's event to the API's having applied it. Nothing may be lost.
 * With another checkout, or a script that does the same (peer.ts), both are measured in turn, and the first round is thrown
 * away: for what is added to the path of a call, at most 10 % more.
 *
 * Against `no-extras`, this checkout is measured with API_EXTRAS=yes and without: what it costs to say who rings and talks.
 *
 * node test/tools/bench/end-to-end.ts [--rate 300] [--seconds 10] [--extras] [--against CHECKOUT|SCRIPT|no-extras [--rounds 5]]
 */
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '10' },
    extras: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
  },
});
const [rate, seconds, rounds] = [values.rate, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const eventsPerCall = 2.8;
const reported = /^Event: (Newchannel|Hangup)\r\n(?:.*\r\n)*?Uniqueid: (\S+)/;

const here = join(import.meta.dirname, '../../../src/cli.ts');

/** `program`: the script to run. */
async function measure(program: string, extras = values.extras): Promise<Record<string, number>> {
  const rig = await createRig({ LOG_LEVEL: 'warn', API_EXTRAS: extras ? 'yes' : 'no' });
  try {
    const bridge = rig.startBridge({ cli: program });
    await until('the bridge has logged in', rig.pbx.hasLogin);
    await sleep(1_000);
    const memory = (what: 'VmHWM' | 'VmRSS') => {
      const status = readFileSync(`/proc/${bridge.pid}/status`, 'utf8');
      return Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
    };
    const idle = memory('VmRSS');
    const sentAt = { ringing: new Map<string, number>(), completed: new Map<string, number>() };
    const send = (frame: string | Buffer) => {
      rig.pbx.send(frame);
      const [, event, id = ''] = reported.exec(String(frame)) ?? [];
      if (event === 'Newchannel') sentAt.ringing.set(`pbx-${id}`, Date.now());
      if (event === 'Hangup') sentAt.completed.set(`pbx-${id}`, Date.now());
    };
    const options = { eventsPerSecond: rate * eventsPerCall, random: seededRandom(1), talkMs: 500 };
    // What is loaded and compiled for the first calls is no part of what a call costs.
    const first = startLoad({ send }, { ...options, firstIndex: 1_000_000 });
    await sleep(2_000);
    await first.finish();
    const before = bridge.cpuMs();
    const load = startLoad({ send }, options);
    await sleep(seconds * 1_000);
    await load.finish();
    const { calls } = rig.fakeApi;
    const left = () => [...load.sent.keys()].filter((id) => calls().get(id)?.state !== 'completed').length;
    await rig.fakeApi.waitFor(() => rig.fakeApi.counts().moved >= load.sent.size * 2 && left() === 0);
    const cpu = bridge.cpuMs() - before;
    if (program.endsWith('/cli.ts') && rig.fakeApi.counts().inverted > 0)
      throw new Error('events came in the wrong order');
    const times = (status: 'ringing' | 'completed') =>
      [...load.sent.keys()].map(
        (id) => (calls().get(id)?.at[status] ?? Number.NaN) - (sentAt[status].get(id) ?? Number.NaN),
      );
    const [ringing, completed] = [times('ringing'), times('completed')];
    return {
      calls: load.sent.size,
      'ms of CPU per call': cpu / load.sent.size,
      'MB before the first call': idle,
      'MB at most': memory('VmHWM'),
      'ms to the API, ringing, p50': percentile(ringing, 50),
      'ms to the API, ringing, p99': percentile(ringing, 99),
      'ms to the API, completed, p50': percentile(completed, 50),
      'ms to the API, completed, p99': percentile(completed, 99),
    };
  } finally {
    await rig.close();
  }
}

print(
  `End to end: ${rate} calls/s for ${seconds} s, ${Math.round(rate * eventsPerCall)} events/s to the API`,
);
if (values.against === undefined)
  for (const [name, value] of Object.entries(await measure(here)))
    print(`  ${name.padEnd(32)} ${Number(value.toFixed(2))}`);
else {
  const { against } = values;
  const isPlain = against === 'no-extras';
  const other = isPlain ? here : against.endsWith('.ts') ? against : join(against, 'src/cli.ts');
  const found: { other: Record<string, number>; ours: Record<string, number> }[] = [];
  for (let round = 0; round <= rounds; round += 1)
    found.push({
      other: await measure(resolve(other), isPlain ? false : values.extras),
      ours: await measure(here, isPlain || values.extras),
    });
  const counted = found.slice(1);
  for (const name of Object.keys(counted[0]?.ours ?? {})) {
    const of = (tree: 'other' | 'ours') => counted.map((round) => round[tree][name] ?? Number.NaN);
    // Of neighbours: the machine is not as fast in each round.
    const ratios = of('ours').map((value, round) => value / (of('other')[round] ?? Number.NaN));
    const [ratio, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((value) =>
      value.toFixed(2),
    );
    const figures = [of('other'), of('ours')].map((all) => Number(median(all).toFixed(2)));
    print(
      `  ${name.padEnd(32)} other ${figures[0]}, this ${figures[1]}, ratio ${ratio} (${least} to ${most})`,
    );
  }
}
