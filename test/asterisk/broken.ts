import { parseArgs } from 'node:util';
import { brokenRows } from './broken-rows.ts';
import { labImpossible, versions } from './install.ts';
import { unmatchedRows } from './row.ts';
import { type BrokenVerdict, runBroken } from './run-broken.ts';
import { table } from './table.ts';

const usage = `node test/asterisk/broken.ts [--version 22|16] [--rows GLOB,...]
Plays calls on a real Asterisk while something breaks, and prints whether all was reported in the end.
`;

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    rows: { type: 'string', default: '*' },
    help: { type: 'boolean', default: false },
  },
});
const chosen = versions.filter((version) => values.version === undefined || values.version === version);
const impossible = labImpossible();
if (values.help || impossible || chosen.length === 0) {
  process.stderr.write(!values.help && impossible ? `no lab on this machine: ${impossible}\n` : usage);
  process.exit(values.help ? 0 : 2);
}

const unmatched = unmatchedRows(
  values.rows,
  brokenRows.map(({ name }) => name),
);
if (unmatched.length > 0) {
  process.stderr.write(`no broken row matches ${unmatched.join(', ')}\n`);
  process.exit(2);
}

const all: BrokenVerdict[] = [];
for (const version of chosen) {
  const verdicts = await runBroken(version, values.rows);
  all.push(...verdicts);
  const rows = verdicts.map(({ row, says, faults }) => [row, version, faults.join('; ') || 'right', says]);
  process.stdout.write(`${table(['row', 'asterisk', 'verdict', 'what happens'], rows)}\n\n`);
}
const right = all.filter(({ faults }) => faults.length === 0).length;
process.stdout.write(`${right} of ${all.length} broken rows right.\n`);
process.exitCode = right === all.length ? 0 : 1;
