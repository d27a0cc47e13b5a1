import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../customer.fixture.ts';
import type { CustomerStore } from '../customer-store.ts';
import { importCustomers } from '../customers-csv.ts';
import { previewImport } from '../customers-preview.ts';
import { readTable } from './table.ts';

/** Counts turns of the event loop; `phases` has how many there were between two steps of the import. */
function countTurns() {
  let turns = 0;
  let timer = setImmediate(function count() {
    turns += 1;
    timer = setImmediate(count);
  });
  const phases: Record<string, number> = {};
  return {
    phases,
    /** The end of a phase, of which only the first one counts. */
    end(phase: string): void {
      phases[phase] ??= turns;
      turns = 0;
    },
    stop: () => clearImmediate(timer),
  };
}

const LINES = 4_000;
const known = Array.from({ length: LINES }, (_, n) =>
  customer({ reference: `r${n}`, name: 'N', numbers: [`+4930${1_000_000 + n}`] }),
);
const csv = `reference,name,numbers\n${known.map(({ reference, numbers }) => `${reference},Name,${numbers[0]}`).join('\n')}\n`;

test('a long table is worked on in many turns of the event loop, in each step of an import', async (t) => {
  // Each look at the clock takes a millisecond, so that the machine's speed does not matter.
  let ms = 0;
  t.mock.method(process, 'hrtime', () => {
    ms += 1;
    return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
  });
  const turns = countTurns();
  const customers = {
    async matching(_account: number, references: Iterable<string>, numbers: Iterable<string>) {
      for (const all of [references, numbers]) for (const _ of all);
      turns.end('its lines are read');
      return known;
    },
    async addSegments() {
      turns.end('they are joined');
      return [];
    },
    async segments() {
      turns.end('names are looked for');
      return [];
    },
    async replace() {
      turns.end('they are planned and grouped');
      return null;
    },
  } as unknown as CustomerStore;
  const into = { customers, account: 1, country: 'DE', createSegments: true };
  let reported = 0;
  const progress = (stored: number, all: number) => {
    if (stored === all) turns.end('before the end');
  };
  try {
    ({ imported: reported } = await importCustomers(csv, { ...into, progress }));
    turns.end('the report');
    await previewImport(readTable(csv), { ...into, mapping: ['reference', 'name', 'numbers'] });
  } finally {
    turns.stop();
  }
  assert.equal(reported, LINES);
  const { 'names are looked for': _, 'before the end': __, ...long } = turns.phases;
  for (const [phase, count] of Object.entries(long)) assert.ok(count > 0, `${phase}: ${count} turns`);
  assert.deepEqual(Object.keys(long), [
    'its lines are read',
    'they are joined',
    'they are planned and grouped',
    'the report',
  ]);
});
