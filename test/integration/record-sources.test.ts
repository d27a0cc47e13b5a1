import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { RecordSource } from '../../src/bridge/cdr/cdr-source.ts';
import { type Book, books, type Written } from '../tools/fakes/record-books.ts';
import { mariadbImpossible } from '../tools/servers/mariadb.ts';

/** Reads until there is nothing more. Each position goes through JSON, as in a restart. */
async function readAll(source: RecordSource<unknown>, from: unknown, thorough = true) {
  const records: string[] = [];
  let restarted = false;
  for (let position = from; ; ) {
    const chunk = await source.read(source.positionOf(JSON.parse(JSON.stringify(position))), { thorough });
    for (const { record } of chunk.entries)
      records.push(typeof record === 'string' ? record : `${record.uniqueid} ${record.dstchannel}`);
    restarted ||= chunk.restarted;
    position = chunk.next;
    if (chunk.atEnd) return { records, position, restarted };
  }
}

const epoch = 1_790_000_000;
const phone = (nth: number) => `PJSIP/${1000 + nth}-00000001`;
const call = (nth: number, more: Partial<Written> = {}): Written => ({
  uniqueid: `${epoch + nth}.${nth}`,
  dstchannel: phone(nth),
  began: epoch + nth,
  duration: 9,
  ...more,
});
const idOf = ({ uniqueid, dstchannel }: Written) => `${uniqueid} ${dstchannel}`;

for (const { name, impossible, open, runs } of books) {
  const reason = impossible();
  if (reason) process.stdout.write(`test/integration: no ${name} on this machine: ${reason}\n`);

  describe(`records in ${name}`, { skip: reason ?? false }, () => {
    let book: Book;
    before(async () => {
      book = await open();
    });
    after(() => book.stop());
    const begin = async () => {
      await book.begin();
      return book.source();
    };

    test('records before the first read are not read, later ones are, once', async () => {
      const source = await begin();
      await book.write([call(1), call(2)]);
      const end = await source.end();
      await book.write([call(100), call(101), call(101, { dstchannel: phone(9) })]);
      const first = await readAll(source, end);
      assert.deepEqual(
        first.records.filter((id) => !/0\.0|\.[12] /.test(id)),
        [call(100), call(101), call(101, { dstchannel: phone(9) })].map(idOf),
      );
      const second = await readAll(source, first.position);
      assert.deepEqual(second.records, []);
      await book.write([call(102)]);
      assert.deepEqual((await readAll(source, second.position)).records, [idOf(call(102))]);
      await source.close();
    });

    test('a long gap is read in chunks, all of it', async () => {
      const source = await begin();
      await book.write([call(0)]);
      const { position } = await readAll(source, await source.end());
      const missed = Array.from({ length: 7_000 }, (_, nth) => call(1_000 + nth));
      await book.write(missed);
      const { records } = await readAll(source, position);
      assert.deepEqual(new Set(records), new Set(missed.map(idOf)));
      assert.equal(records.length, missed.length);
      await source.close();
    });

    test('the records of a time are read from its beginning, all of them, each once', async () => {
      const source = await begin();
      const day = 86_400;
      const old = Array.from({ length: 3_000 }, (_, nth) =>
        call(0, {
          uniqueid: `${epoch - 400 * day + nth * 900}.${nth}`,
          began: epoch - 400 * day + nth * 900,
        }),
      );
      await book.write(old);
      const { position, unread } = await source.beginning((epoch - 390 * day) * 1_000);
      assert.deepEqual(unread, []);
      const { records, restarted } = await readAll(source, position);
      assert.equal(restarted, false);
      const wanted = old.filter(({ began }) => began >= epoch - 390 * day).map(idOf);
      // A file has no index: what is older is read, too.
      const read = records.filter((id) => wanted.includes(id));
      assert.deepEqual(read.toSorted(), wanted.toSorted());
      await source.close();
    });

    test('a call of many hours is read, though it began long before others that were', async () => {
      const source = await begin();
      await book.write([call(0)]);
      const { position } = await readAll(source, await source.end());
      await book.write([call(40_000)]);
      const later = await readAll(source, position);
      const long = call(50, { duration: 39_990 });
      await book.write([long]);
      assert.deepEqual((await readAll(source, later.position)).records, [idOf(long)]);
      await source.close();
    });

    test('whatever is written, archived and read, and whatever the clock shows: every record once', async () => {
      await fc.assert(
        fc.asyncProperty(clockChange, fc.array(step, { maxLength: 25 }), async (start, steps) => {
          const source = await begin();
          let clock = start;
          let nth = 1;
          let position: unknown;
          const written: string[] = [];
          const read: string[] = [];
          const readOn = async (thorough: boolean) => {
            const all = await readAll(source, position, thorough);
            assert.equal(all.restarted, false);
            position = all.position;
            read.push(...all.records);
          };
          /** Calls end now, or a while ago where Asterisk writes in batches; they began up to hours ago. */
          const write = async (count: number, duration: number, late: number) => {
            const ended = Array.from({ length: count }, (_, spread) => {
              const began = clock - late - Math.ceil(duration / (spread + 1));
              return call(0, {
                uniqueid: `${began}.${nth}`,
                dstchannel: phone(nth++),
                began,
                duration: clock - late - began,
              });
            });
            await book.write(ended);
            written.push(...ended.map(idOf));
          };
          try {
            await write(1, 5, 0);
            position = await source.end();
            await readOn(true);
            read.length = 0;
            written.length = 0;
            for (const [what, pause, count, duration, late] of steps) {
              clock += pause;
              if (what === 'write') await write(count, duration, late);
              else await readOn(what === 'thorough' || what === 'archive');
              // Only what was read may go.
              if (what === 'archive') await book.archive();
            }
            await readOn(true);
            assert.deepEqual(read.toSorted(), written.toSorted());
          } finally {
            await source.close();
          }
        }),
        {
          numRuns: runs,
          // Found in a run: calls of the hour before clocks are set back, met again in the zone that holds afterwards.
          examples: [
            [firstChange, [...Array(3).fill(['write', 1_700, 1, 0, 0]), ['thorough', 0, 1, 0, 0]]],
            // The same, of a call that was forgotten before they are set back.
            [
              firstChange,
              [
                ['write', 1_700, 1, 0, 0],
                ['thorough', 1_700, 1, 0, 0],
                ['write', 1_700, 1, 0, 0],
                ['read', 0, 1, 0, 0],
              ],
            ],
          ],
        },
      );
    });
  });
}

/** Before clocks are set back, and forward. */
const firstChange = unixSeconds('2026-10-25T00:00:00Z');
const clockChange = fc.constantFrom(firstChange, unixSeconds('2026-03-29T00:00:00Z'));
const step = fc.tuple(
  fc.constantFrom(
    'write' as const,
    'write' as const,
    'read' as const,
    'thorough' as const,
    'archive' as const,
  ),
  fc.constantFrom(0, 1, 60, 1_700),
  fc.integer({ min: 1, max: 5 }),
  fc.constantFrom(0, 5, 60, 4_000, 20_000),
  fc.constantFrom(0, 0, 300),
);

function unixSeconds(text: string): number {
  return Date.parse(text) / 1_000;
}

test('each kind of source was tried, but for what is impossible here', () =>
  assert.equal(
    books.filter(({ impossible }) => impossible() === undefined).length,
    mariadbImpossible() ? 2 : 3,
  ));
