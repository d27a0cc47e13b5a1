import { globSync, readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileCache } from '../compile-cache.ts';
import { tryMutants } from './mutants.ts';

const usage = `npm run mutants -- PATH [--count N] [--seed N] [--also PART ...]
Changes a file, or a random one of a folder, in one small way, and runs the narrowest tests of the fast tier on it: N
times (20). Prints each change that no test noticed. The same seed makes the same changes of the same source.
--also adds the test files that have PART in their path, in place of those from other parts of the program; it can be
given several times.
`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '20' },
      also: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1000) % 100_000) },
    },
  });
  const [path = '', ...more] = positionals;
  const files = statSync(path).isFile() ? [path] : globSync(`${path.replace(/\/$/, '')}/**/*.ts`);
  if (more.length > 0) throw new Error('one path at a time');
  const sources = files.filter((file) => !/\.(test|fixture)\.ts$/.test(file)).sort();
  compileCache();
  const { killed, survived, untested } = await tryMutants(
    sources.map((file) => ({ path: file, source: readFileSync(file, 'utf8') })),
    {
      ...{ count: Number(values.count), seed: Number(values.seed) },
      also: globSync('{src,test}/**/*.test.ts').filter((file) =>
        values.also.some((part) => file.includes(part)),
      ),
      say: (line) => process.stdout.write(`${line}\n`),
    },
  );
  for (const file of untested) process.stdout.write(`${file}: no test of the fast tier imports it\n`);
  const all = killed + survived;
  const score = all === 0 ? '' : ` (${Math.round((100 * killed) / all)} %)`;
  process.stdout.write(`${killed} of ${all} mutants were noticed${score}, seed ${values.seed}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${usage}`);
  process.exitCode = 2;
}
