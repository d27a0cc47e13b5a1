import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writtenNumber } from '../../shared/phone-number/written-number.ts';
import { openOperator } from './operator.ts';
import {
  attempted,
  batchOf,
  eventsOf,
  keepingLog,
  newEvent,
  opened,
  resultOf,
  temporaryFolder,
} from './outbox.fixture.ts';
import { openOutbox } from './outbox.ts';

test('operator: works while the bridge runs, and leaves alone what is not as it was asked for', async (t) => {
  const directory = temporaryFolder(t);
  assert.equal(openOperator(directory), undefined);
  const outbox = await opened(t, { directory });
  await outbox.append(batchOf({ a: 'ringing', b: 'ringing', c: 'ringing', d: 'ringing' }));
  await outbox.record([
    resultOf(1, 'a', { outcome: 'dead', error: '422' }),
    resultOf(3, 'c', { outcome: 'dead', error: '422' }),
    resultOf(4, 'd'),
  ]);
  const operator = openOperator(directory);
  t.after(() => operator?.close());

  const seen: number[] = [];
  const gone = operator?.discard([1, 2, 4], (events) => seen.push(...events.map(({ seq }) => seq)));
  assert.deepEqual([gone?.map(({ seq }) => seq), seen], [[1], [1]], 'only what is a dead letter');
  assert.deepEqual(await outbox.counters(), { queued: 3, delivered: 1, waiting: 1, dead: 1, lost: 0 });
  assert.deepEqual(
    (await outbox.ledgerEntries(['a'])).get('a'),
    { reported: [], unreported: 'an operator discarded it' },
    'call records do not bring it back',
  );
  assert.deepEqual(attempted(directory), [3, 4]);

  assert.throws(
    () =>
      operator?.discard([3], () => {
        throw new Error('the audit log cannot be written');
      }),
    /audit log/,
  );
  assert.equal((await outbox.counters()).dead, 1, 'nothing goes without its record');

  assert.equal(operator?.resend([1, 2, 3, 4]), 1);
  assert.equal(operator?.sendAgain([1, 2, 3, 4]), 1);
  assert.deepEqual(await outbox.counters(), { queued: 3, delivered: 0, waiting: 3, dead: 0, lost: 0 });
  const later = await outbox.append(batchOf({ e: 'ringing' }));
  assert.equal(later.nextEvents[0]?.seq, 5, 'numbers go on where they were');
});

test('operator: of what is discarded or forgotten, nothing is left where it was in the file', async (t) => {
  const directory = temporaryFolder(t);
  const outbox = await openOutbox({ directory }, { log: keepingLog() });
  const from = '+493012345678';
  const written = [from, '030-123 456 78'];
  const events = ['a', 'b'].map((id) => newEvent(id, 'ringing', 0, { from }));
  const journal = { lines: JSON.stringify({ number: written[1] }), at: 1 };
  await outbox.append({ calls: [], trunks: [], events, journal });
  await outbox.record([resultOf(1, 'a', { outcome: 'dead', error: '422' }), resultOf(2, 'b')]);
  const operator = openOperator(directory);
  operator?.discard([1], () => {});
  assert.equal(operator?.forgetNumber(from, (text) => text.replaceAll(writtenNumber(from), '*')).events, 1);
  operator.close();
  await outbox.close();
  for (const file of readdirSync(directory))
    for (const form of written) assert.ok(!readFileSync(join(directory, file)).includes(form), file);
  assert.equal(JSON.parse(eventsOf(directory, { callId: 'b' })[0]?.body ?? '').from, '0');
});
