import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEventSchema } from './call-event.ts';
import { validationError } from './errors.ts';
import { fieldsOf, queryFields } from './fields.ts';

const good = { id: 'pbx-1763600000.42', direction: 'inbound', status: 'ringing', from: '+4930901820' };

/** The fields at fault, in the order of the schema. */
function faults(input: Record<string, unknown>): string[] {
  const parsed = callEventSchema.safeParse(fieldsOf(input));
  return parsed.success ? [] : Object.keys(validationError(parsed.error.issues).errors);
}

const table: readonly [string, Record<string, unknown>, string[]][] = [
  ['a complete event', good, []],
  ['every field missing', {}, ['id', 'direction', 'status']],
  ['from missing', { ...good, from: undefined }, ['from']],
  ['from missing beside another fault', { ...good, from: undefined, status: 'x' }, ['status', 'from']],
  ['from empty', { ...good, from: ' ' }, ['from']],
  ['from null', { ...good, from: null }, ['from']],
  ['from a name', { ...good, from: 'anonymous' }, ['from']],
  ['from a number, not text', { ...good, from: 4930 }, ['from']],
  ['from with separators', { ...good, from: '+49 (30) 90-18/20.1' }, []],
  ['from an extension', { ...good, from: '7' }, []],
  ['from without a digit', { ...good, from: '+-' }, ['from']],
  ['from with a line break', { ...good, from: '+49\n30' }, ['from']],
  ['from 41 long', { ...good, from: '1'.repeat(41) }, ['from']],
  ['direction outbound', { ...good, direction: 'outbound' }, ['direction']],
  ['status in capitals', { ...good, status: 'RINGING' }, ['status']],
  ['id with NUL', { ...good, id: 'a\0b' }, ['id']],
  ['id with an escape sequence', { ...good, id: '\x1b[2J' }, ['id']],
  ['id with half a character', { ...good, id: '\ud83d' }, ['id']],
  ['id an emoji', { ...good, id: '📞' }, []],
  ['id an object', { ...good, id: {} }, ['id']],
  ['id 256 long', { ...good, id: 'x'.repeat(256) }, ['id']],
  ['caller_id null', { ...good, caller_id: null }, []],
  ['unknown fields', { ...good, __proto__x: 1, extra: { deep: [] } }, []],
];

for (const [name, input, expected] of table) {
  test(`call event: ${name}`, () => assert.deepEqual(faults(input), expected));
}

test('the first error and the number of others are the message', () => {
  const parsed = callEventSchema.safeParse({});
  assert.equal(
    validationError(parsed.error?.issues ?? []).message,
    'The id field is required. (and 2 more errors)',
  );
});

test('a query: the last of equal keys counts, and a number that begins with a blank begins with a plus', () => {
  const fields = queryFields('id=a&id=b&from=+4930901820&caller_id=+1&number=%2B49');
  assert.deepEqual({ ...fields }, { id: 'b', from: '+4930901820', caller_id: '+1', number: '+49' });
});

test('ids and search terms are kept exactly, an empty limit is the default', () => {
  assert.deepEqual(
    { ...queryFields('id=%20a&search_term=b%C2%A0&caller_id=%20c%20&limit=') },
    {
      id: ' a',
      search_term: 'b\u00a0',
      caller_id: 'c',
      limit: '15',
    },
  );
  assert.deepEqual({ ...fieldsOf({ id: ' \u00a0', search_term: null }) }, {});
});
