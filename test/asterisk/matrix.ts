import { parseArgs } from 'node:util';
import { install, labImpossible, type Version, versions } from './install.ts';
import { openLab } from './lab.ts';
import { recordRow } from './record.ts';
import { matrix } from './rows/all.ts';
import { type MatrixResult, rowsOf, runMatrix } from './run-matrix.ts';
import { table } from './table.ts';

const usage = `node test/asterisk/matrix.ts [--version 22|16] [--rows GLOB] [--record]
Plays the matrix on a real Asterisk with the real bridge, and prints what came of each row.
--record plays the rows one by one without a bridge and writes test/recordings instead.
`;

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
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
const chosen =
  values.version === undefined ? versions : versions.filter((version) => version === values.version);
const impossible = labImpossible();
if (impossible || chosen.length === 0) {
  process.stderr.write(impossible ? `no lab on this machine: ${impossible}\n` : usage);
  process.exit(2);
}

if (values.record) for (const version of chosen) await record(version, values.rows);
else process.exitCode = (await play(chosen, values.rows)) ? 0 : 1;

async function record(version: Version, glob: string): Promise<void> {
  const lab = await openLab(version);
  try {
    for (const { row, index } of rowsOf(version, glob)) {
      await recordRow(lab, index);
      say(`recorded asterisk-${version}/${row.name}`);
    }
  } finally {
    await lab.stop();
  }
}

async function play(which: readonly Version[], glob: string): Promise<boolean> {
  const results: MatrixResult[] = [];
  for (const version of which) {
    await install(version);
    const started = Date.now();
    const result = await runMatrix(version, { rows: glob });
    results.push(result);
    const order = new Map(matrix.map(({ name }, index) => [name, index]));
    const rows = result.verdicts
      .toSorted((a, b) => (order.get(a.row) ?? 0) - (order.get(b.row) ?? 0))
      .map(({ row, told, cdr, faults }) => [row, result.release, told, cdr, faults.join('; ') || 'right']);
    say(table(['row', 'asterisk', 'told', "asterisk's word", 'verdict'], rows));
    for (const stray of result.strays) say(`stray: ${stray}`);
    say(`(${rows.length} rows in ${Math.round((Date.now() - started) / 1000)} s)\n`);
  }
  const verdicts = results.flatMap((result) => result.verdicts);
  const right = verdicts.filter(({ faults }) => faults.length === 0).length;
  const strays = results.flatMap((result) => result.strays).length;
  const sum = (count: (verdict: (typeof verdicts)[number]) => number) =>
    verdicts.reduce((n, v) => n + count(v), 0);
  say(`${right} of ${verdicts.length} rows right, ${strays} stray calls.`);
  say(
    `Asterisk's own word and the far side agree on ${sum((v) => v.agreed)} of ${sum((v) => v.calls)} calls.`,
  );
  return right === verdicts.length && strays === 0;
}
