import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from './text.ts';
import { urlEncodedFields } from './url-encoded.ts';

test('a large form is read like a short one', async () => {
  const parts = [
    '',
    'a',
    'a=1',
    'a=1=2',
    '=',
    '=x',
    '+',
    'x+y=%2B+%20',
    '%',
    '%4',
    '%4g',
    '%zz=%41%4a%4A',
    'n%00=\0',
  ];
  const texts = [
    'ä=%C3%A4',
    '%EF%BB%BFx',
    '%ff=%c3',
    '\ufeff',
    '🦊=%F0%9F%A6%8A',
    '%26=%3D',
    'long=',
    'x'.repeat(200_000),
  ];
  const all = [...parts, ...texts];
  for (const form of ['', '&', '&&a&', all.join('&'), all.toReversed().join('&&'), ...all])
    assert.deepEqual(
      [...((await urlEncodedFields(Buffer.from(form), 99)) ?? [])],
      [...parseQuery(form)],
      form,
    );
});

test('a form of many fields is not read further than their limit', async () => {
  const fields = (count: number) => Buffer.from(Array(count).fill('a').join('&'));
  assert.equal([...((await urlEncodedFields(fields(5), 5)) ?? [])].length, 5);
  assert.equal(await urlEncodedFields(fields(6), 5), undefined);
  assert.equal(await urlEncodedFields(Buffer.from('&'.repeat(48_000_000)), 5_000), undefined);
  const long = Buffer.from(`${'a&'.repeat(4_000)}x=${'+'.repeat(1_000_000)}${'b'.repeat(4_000_000)}`);
  assert.equal((await urlEncodedFields(long, 5_000))?.get('x')?.length, 5_000_000);
});
