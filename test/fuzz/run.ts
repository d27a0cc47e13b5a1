import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

/** `npm run fuzz -- [--inputs N] [--seed N] [--target PART]`: prints a row for each parser; exit code 1 if one fails. */
const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    target: { type: 'string', default: '' },
  },
});

for (const target of targets) {
  if (!target.name.includes(values.target)) continue;
  const began = performance.now();
  const found = fuzz(target, {
    inputs: Number(values.inputs),
    seed: Number(values.seed),
  });
  const took = ((performance.now() - began) / 1_000).toFixed(0);
  print(
    `${found ? 'FAILS' : 'holds'}  ${values.inputs} inputs, ${took} s, seed ${values.seed}: ${target.name}`,
  );
  if (found) {
    print(`  ${found.error.message}\n  with ${JSON.stringify(found.input.toString('latin1'))}`);
    process.exitCode = 1;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
