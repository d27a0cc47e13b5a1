import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { compileCache } from '../compile-cache.ts';
import { tryMutants } from './mutants.ts';

/** Where a change that nobody notices costs a call, or shows it to the wrong people. */
const sampled = [
  'src/bridge/calls/**',
  'src/bridge/outbox/**',
  'src/shared/delivery/**',
  'src/bridge/cdr/**',
  'src/service/users/!(*-pages|*-tables)',
  // What the service keeps.
  'src/service/store/**',
  'src/service/database/**',
  'src/service/*/*-{store,rows,reader,paging,sqlite}',
  'src/service/reports/kept-figures',
];
/** What only the slow tier can notice: it needs a PostgreSQL or a MariaDB, or damages files by the hundred. */
const notSampled =
  /^src\/(service\/(store|database)\/postgres|bridge\/outbox\/recovery|bridge\/cdr\/mysql-source)/;
const leastPercent = 95;

const usage = `npm run mutants [-- PATH] [--count N] [--seed N] [--at-once N] [--also PART ...]
Changes a file, or a random one of a folder, in one small way, and runs the narrowest tests of the fast tier on it: N
times (20). Prints each change that no test noticed. The same seed makes the same changes of the same source.
Without a PATH: 200 changes, the same for everybody, of what no call may be lost in; fails below ${leastPercent} % noticed.
--at-once: how many are tried at once, as many as there are processors if not given.
--also adds the test files that have PART in their path, in place of those from other parts of the program; it can be
given several times.
`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string' },
      also: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string' },
      'at-once': { type: 'string', default: String(availableParallelism()) },
    },
  });
  const [path, ...more] = positionals;
  if (more.length > 0) throw new Error('one path at a time');
  const isSample = path === undefined;
  const count = Number(values.count ?? (isSample ? 200 : 20));
  const seed = Number(values.seed ?? (isSample ? 1 : Math.floor(Date.now() / 1000) % 100_000));
  const files = isSample
    ? globSync(sampled.map((part) => (part.endsWith('**') ? `${part}/*.ts` : `${part}.ts`)))
    : statSync(path).isFile()
      ? [path]
      : globSync(`${path.replace(/\/$/, '')}/**/*.ts`);
  const sources = files
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
    .filter((file) => !isSample || !notSampled.test(file))
    .sort();
  compileCache();
  const { killed, survived, unnoticeable, untested } = await tryMutants(
    sources.map((file) => ({ path: file, source: readFileSync(file, 'utf8') })),
    {
      ...{ count, seed, atOnce: Number(values['at-once']) },
      also: globSync('{src,test}/**/*.test.ts').filter((file) =>
        values.also.some((part) => file.includes(part)),
      ),
      say: print,
    },
  );
  for (const file of untested) print(`${file}: no test of the fast tier imports it`);
  const all = killed + survived;
  const percent = (100 * killed) / all;
  if (unnoticeable > 0) print(`${unnoticeable} were not tried: test/mutants/unnoticeable.ts says why`);
  print(`${killed} of ${all} mutants were noticed (${percent.toFixed(1)} %), seed ${seed}`);
  if (isSample && !(percent >= leastPercent)) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${usage}`);
  process.exitCode = 2;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
