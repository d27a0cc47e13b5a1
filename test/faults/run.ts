import { matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';
import type { Run, Size } from '../tools/faults/fault.ts';
import { asItShould, commitLine, machineLine, printed, type Row } from '../tools/faults/table.ts';
import { controlName, faults } from './all.ts';

/**
 * Causes every fault, and prints one table: what was queued, and what became of it.
 *
 * npm run test:faults -- [--full] [--fault GLOB] [--runs N] [--minutes N] [--seed N]
 *
 * `--full` takes minutes to hours for each. `--runs` is a size of one's own. A row that repeats itself ends early after
 * `--minutes`, or with Ctrl-C, and says how much was done; Ctrl-C again ends it at once. Ends with 1
 * if something did not hold, or a control did not break.
 */
const values = readArguments();
const seed = whole('seed', 0);
const minutes = whole('minutes', 1);
const runs = values.runs === undefined ? undefined : whole('runs', 1);

function readArguments() {
  try {
    return parseArgs({
      options: {
        full: { type: 'boolean', default: false },
        fault: { type: 'string', default: '*' },
        runs: { type: 'string' },
        minutes: { type: 'string', default: '1440' },
        seed: { type: 'string', default: '1' },
      },
    }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function whole(name: 'seed' | 'minutes' | 'runs', least: number): number {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= least) return number;
  return refuse(`--${name} takes a whole number from ${least} on, not ${values[name]}`);
}

function refuse(what: string): never {
  process.stderr.write(
    `${what}\nUsage: npm run test:faults -- [--full] [--fault GLOB] [--runs N] [--minutes N] [--seed N]\n`,
  );
  process.exit(2);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const rows: Row[] = [];
const interrupted = new AbortController();
process.on('SIGINT', () => {
  if (interrupted.signal.aborted) process.exit(130);
  interrupted.abort();
});

async function row(fault: string, control: boolean, run: Run, size: Size): Promise<void> {
  const began = performance.now();
  print(`${fault}: ${size.count} ${size.unit}, seed ${seed}`);
  const say = (line: string) => print(`  ${Math.round((performance.now() - began) / 1_000)} s: ${line}`);
  const stop = AbortSignal.any([interrupted.signal, AbortSignal.timeout(minutes * 60_000)]);
  const outcome = await run({ size: size.count, seed, say, stop });
  rows.push({
    fault,
    control,
    outcome,
    size: `${outcome.runs.toLocaleString('en')} ${size.unit}`,
    seconds: (performance.now() - began) / 1_000,
  });
}

// As it is at the start: what is changed meanwhile is not what is tried.
const commit = commitLine();

const wanted = faults.filter(({ name }) => matchesGlob(name.replaceAll('/', ' '), values.fault));
if (wanted.length === 0)
  refuse(`no fault is called ${values.fault}; there are: ${faults.map(({ name }) => name).join(', ')}`);
for (const fault of wanted) {
  if (interrupted.signal.aborted) break;
  const missing = await fault.needs?.();
  if (missing !== undefined) {
    print(`${fault.name}: left out: ${missing}`);
    continue;
  }
  const { count, unit } = values.full ? fault.full : fault.short;
  const size = { count: runs ?? count, unit };
  await row(fault.name, false, fault.run, size);
  if (fault.control && !interrupted.signal.aborted)
    await row(controlName(fault), true, fault.control.run, fault.control.size ?? size);
}
print(`\n${machineLine()}, commit ${commit}\n\n${printed(rows)}`);
process.exitCode = rows.length > 0 && rows.every(asItShould) ? 0 : 1;
