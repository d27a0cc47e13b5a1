import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEventSchema } from './call-event.ts';
import { validationError } from './errors.ts';
import { fieldsOf, queryFields } from './fields.ts';

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

test('encoded fields that are not UTF-8 are read as ISO 8859-1, each by itself', () => {
  for (const [query, id, name] of [
    ['id=Anruf-%E4&caller_id=%C3%A9', 'Anruf-ä', 'é'],
    ['id=Anruf-%F6&caller_id=100%&from=1', 'Anruf-ö', '100%'],
    ['id=a&caller_id=Ren%e9+M%fcller%26%20%9F', 'a', 'René Müller& \u009f'],
    ['id=%C3%A4&caller_id=%C3%A4%E4', 'ä', 'Ã¤ä'],
    ['id=%EF%BF%BD&caller_id=a=%FC=b', '\ufffd', 'a=ü=b'],
    ['id=a&caller_id=%25E4+%zz', 'a', '%E4 %zz'],
  ] as const) {
    const fields = queryFields(query);
    assert.deepEqual([fields.id, fields.caller_id], [id, name], query);
  }
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

const pastEvent = (extras: unknown) =>
  callEventSchema.safeParse({ id: 'a', direction: 'inbound', status: 'completed', from: '110', extras });

test('a call of the past whose beginning cannot be read, or is before 1990, is refused', () => {
  const broken = [
    { began: '2025-02-30T10:00:00.000Z' },
    { began: '-000001-01-01T00:00:00.000Z' },
    { began: '+275760-09-13T00:00:00.000Z' },
    { began: '0001-01-01T00:00:00.000Z' },
    { began: '1989-12-31T23:59:59.999Z' },
    { began: 7 },
    {},
    'yes',
    null,
  ];
  for (const past of broken) {
    const { error } = pastEvent({ past });
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      ['The extras.past.began field must be a time since 1990, such as 2026-07-04T09:30:00.000Z.'],
      JSON.stringify(past),
    );
  }
});

test('it stays one of the past if other extras cannot be read', () => {
  const past = { began: '2025-02-03T10:00:00.000Z' };
  const at = '2025-02-03T10:01:00.000Z';
  assert.deepEqual(pastEvent({ past, at, line: 7, number_called: '110' }).data?.extras, { past, at });
  assert.deepEqual(pastEvent({ past, at: 'then' }).data?.extras, { past });
  assert.deepEqual(pastEvent({ past, at, line: 'trunk' }).data?.extras, { past, at, line: 'trunk' });
});

test('other calls are taken without extras that cannot be read', () => {
  for (const extras of [{ line: 7 }, 'x', null, [1], { at: 'then' }]) {
    const { success, data } = pastEvent(extras);
    assert.deepEqual([success, data?.extras], [true, undefined], JSON.stringify(extras));
  }
});
