import { parseArgs } from 'node:util';
import { feeds, impossibleFeeds } from '../tools/lab/feeds.ts';
import { labImpossible } from '../tools/lab/install.ts';
import { LabLimit, labPorts } from '../tools/lab/ports.ts';
import { unmatchedRows } from '../tools/lab/row.ts';
import { openLab } from './lab.ts';
import { isRight, rowTable, summary } from './matrix-tables.ts';
import { recordRow } from './record.ts';
import { type MatrixResult, runMatrix } from './run-matrix.ts';
import { rowsOf, type WorldName, worldNames, worlds } from './worlds.ts';

const usage = `npm run matrix -- [--world NAME,...] [--feed NAME,...] [--rows GLOB,...] [--record]
Plays the matrix on real Asterisks with real bridges, and prints what came of each row.
--world   ${worldNames.join(', ')}; all when absent
--feed    from where bridges learn of the calls: ${feeds.join(', ')}; all when absent
--rows    only rows whose name matches one of these globs, such as 'queue-*,extension-caller-hangs-up'
--record  plays the rows one by one without a bridge and writes test/recordings instead
`;

const { values } = parseArgs({
  options: {
    world: { type: 'string', default: worldNames.join() },
    feed: { type: 'string', default: feeds.join() },
    rows: { type: 'string', default: '*' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const chosen = select(values.world, worldNames);
const wanted = select(values.feed, feeds);
const known = chosen.flatMap((world) => rowsOf(world).map(({ row }) => row.name));
const unmatched = chosen.length === 0 ? [] : unmatchedRows(values.rows, known);
if (unmatched.length > 0) {
  process.stderr.write(`no row of ${chosen.join(', ')} matches ${unmatched.join(', ')}\n`);
  process.exit(2);
}
const impossible = labImpossible();
if (impossible || chosen.length === 0 || wanted.length === 0) {
  process.stderr.write(impossible ? `no lab on this machine: ${impossible}\n` : usage);
  process.exit(2);
}

try {
  labPorts();
  if (values.record) for (const world of chosen) await record(world, values.rows);
  else process.exitCode = (await play()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof LabLimit)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

/** Those of the known names that the text lists; none if it has another. */
function select<Name extends string>(text: string, known: readonly Name[]): Name[] {
  const names = new Set(text.split(','));
  const chosen = known.filter((name) => names.has(name));
  return chosen.length === names.size ? chosen : [];
}

async function record(world: WorldName, glob: string): Promise<void> {
  const lab = await openLab(world);
  try {
    for (const one of rowsOf(world, glob)) say(`recorded ${await recordRow(lab, { world, ...one })}`);
  } finally {
    await lab.stop();
  }
}

async function play(): Promise<boolean> {
  const without = impossibleFeeds(wanted);
  for (const [feed, why] of without) say(`left out ${feed}: ${why}`);
  const results = new Map<WorldName, MatrixResult>();
  for (const world of chosen) {
    const why = worlds[world].impossible?.();
    if (why) {
      say(`left out ${world}: ${why}`);
      continue;
    }
    const started = Date.now();
    const result = await runMatrix(world, {
      rows: values.rows,
      feeds: wanted.filter((feed) => !without.has(feed)),
    });
    results.set(world, result);
    say(rowTable(result));
    for (const stray of result.strays) say(`stray: ${stray}`);
    say(`(${world} in ${Math.round((Date.now() - started) / 1000)} s)\n`);
  }
  say(summary(results));
  return [...results.values()].every(
    ({ verdicts, strays }) => strays.length === 0 && verdicts.every(isRight),
  );
}
