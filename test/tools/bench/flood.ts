import { parseArgs } from 'node:util';
import { type FloodForm, floodForms } from '../fakes/flood.ts';
import { runFlood } from '../fakes/flood-run.ts';
import { countOperations } from '../tree/operations.ts';
import { percentile, print } from './compare.ts';

/**
 * What an event costs beside 10,000 calls, by what it costs beside 10, in blocks of code that run. Then priority lookups while
 * a flood of calls comes in: what the dialplan gets, how long it takes, and what the bridge needs.
 *
 * node test/tools/bench/flood.ts [--rate 2000] [--seconds 10] [--form 'short calls']
 */
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '10' },
    form: { type: 'string', default: '' },
  },
});

const scenario = new URL('../../../src/bridge/constant-work.fixture.ts', import.meta.url);
const counts = await countOperations(/\/src\/bridge\/(?!.*\.fixture\.)/, scenario);
print('Work per event, 10,000 calls by 10:');
for (const [name, many] of counts) {
  const [how, what, size] = name.split('|');
  if (size !== 'many') continue;
  const few = counts.get(`${how}|${what}|few`) ?? Number.NaN;
  print(`  ${`${what}, ${how}`.padEnd(64)} ${(many / few).toFixed(2)}`);
}

print(`Lookups in a flood of ${values.rate} calls/s for ${values.seconds} s:`);
for (const form of Object.keys(floodForms) as FloodForm[]) if (form.includes(values.form)) await flood(form);

async function flood(form: FloodForm): Promise<void> {
  const pace = { rate: Number(values.rate), seconds: Number(values.seconds) };
  const { calls, lookups, cpuMs, mostMb } = await runFlood(form, pace);
  const took = lookups.map(({ ms }) => ms);
  const times = [50, 99, 100].map((percent) => Math.round(percentile(took, percent)));
  const statuses = Map.groupBy(lookups, ({ status }) => status);
  const summary = [...statuses].map(([status, all]) => `${status} ${all.length}`).join(', ');
  print(
    `  ${form.padEnd(24)} ${calls} calls, ${lookups.length} lookups: ${summary}; p50 ${times[0]}, p99 ${times[1]}, most ${times[2]} ms; CPU ${cpuMs} ms, ${mostMb} MB at most`,
  );
}
