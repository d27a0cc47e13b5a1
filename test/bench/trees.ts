import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, print } from './compare.ts';

/**
 * What a call costs the bridge of this checkout and that of another one, from AMI to disk to API: end-to-end.ts with
 * both in turn. For what is added to the path of a call: at most 10 % more.
 *
 * node test/bench/trees.ts OTHER [--rounds 5] [--rate 300] [--seconds 10]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '10' },
  },
});
const [other] = positionals;
if (other === undefined) throw new Error('which checkout is the other one? node test/bench/trees.ts OTHER');

const trees = { other, this: '.' };
const found = { other: new Map<string, number[]>(), this: new Map<string, number[]>() };
/** A name, and where end-to-end.ts prints it. */
const figures = {
  'ms of CPU per call': /(\d[\d.]*) ms of CPU per call/,
  'MB before the first call': /memory (\d+) MB before the first call/,
  'ms to the API, ringing, p50': /ringing +p50 (\d+) ms/,
  'ms to the API, completed, p50': /completed +p50 (\d+) ms/,
};
// The first round is thrown away.
for (let round = 0; round <= Number(values.rounds); round += 1)
  for (const name of ['other', 'this'] as const) {
    const bench = [join(import.meta.dirname, 'end-to-end.ts'), '--tree', trees[name]];
    const size = ['--rate', values.rate, '--seconds', values.seconds];
    // A checkout that loses calls has its figures all the same.
    const { stdout: text } = spawnSync(process.execPath, [...bench, ...size], { encoding: 'utf8' });
    if (/lost [1-9]/.test(text)) print(`${name}: ${/events sent .*/.exec(text)?.[0]}`);
    for (const [figure, pattern] of Object.entries(figures)) {
      const list = found[name].get(figure) ?? [];
      if (round > 0) list.push(Number(pattern.exec(text)?.[1]));
      found[name].set(figure, list);
    }
  }
for (const figure of Object.keys(figures)) {
  const [before = [], now = []] = [found.other.get(figure), found.this.get(figure)];
  // Of neighbours: the machine is not as fast in each round.
  const ratio = median(now.map((value, round) => value / (before[round] ?? Number.NaN)));
  print(
    `${figure}: other ${median(before)} (${before}), this ${median(now)} (${now}), ratio ${ratio.toFixed(2)}`,
  );
}
