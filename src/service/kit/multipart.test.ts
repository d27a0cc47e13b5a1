import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multipartFields } from './multipart.ts';

const type = 'multipart/form-data; boundary=x';
const part = (name: string, content: string, also = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${also}\r\n\r\n${content}\r\n`;
const read = (body: string | Buffer, most = 9, contentType = type) =>
  multipartFields(Buffer.from(body), contentType, most);

test('a form with files is read as it was sent', async () => {
  const form = new FormData();
  for (const [name, value] of [
    ['a', ''],
    ['a', 'ä\r\n--x--\r\n'],
    ['with "quotes"\r\n', '1'],
    ['naïve', '🦊'],
    ['', 'nameless'],
  ] as const)
    form.append(name, value);
  form.append('file', new Blob([new Uint8Array([0, 255, 13, 10])]), 'a; name="b".csv');
  form.append('none', new Blob([]), 'c.csv');
  const sent = new Response(form);
  const parts = read(Buffer.from(await sent.bytes()), 9, sent.headers.get('content-type') ?? '');
  assert.ok(Array.isArray(parts));
  assert.deepEqual(
    parts.map(({ name, isFile, bytes }) => [name, isFile, isFile ? [...bytes] : `${bytes}`]),
    [
      ['a', false, ''],
      ['a', false, 'ä\r\n--x--\r\n'],
      ['with "quotes"\r\n', false, '1'],
      ['naïve', false, '🦊'],
      ['', false, 'nameless'],
      ['file', true, [0, 255, 13, 10]],
      ['none', true, []],
    ],
  );
  assert.deepEqual(read('--x--\r\n'), []);
  assert.equal((read(`${part('a', '1')}--x--`) as unknown[]).length, 1);
});

test('what is no form with files, or too much of one, is not read', () => {
  const whole = `${part('a', '1')}${part('b', '2', '; filename="f"')}--x--\r\n`;
  assert.equal((read(whole, 2) as unknown[]).length, 2);
  assert.equal(read(whole, 1), 'too many');
  assert.equal(read(`${part('a', '').repeat(1_000_000)}--x--`, 5_000), 'too many');
  for (const body of [
    '',
    'x',
    `${part('a', '1')}`,
    whole.slice(0, -4),
    whole.replaceAll('\r\n', '\n'),
    `preamble${whole}`,
    '--x\r\n\r\n\r\n--x--',
    '--x\r\ncontent-type: text/plain\r\n\r\n1\r\n--x--',
    part('a', '1').replace('\r\n\r\n', `\r\n${'x: y\r\n'.repeat(1_000_000)}\r\n`),
  ])
    assert.equal(read(body), undefined, body.slice(0, 60));
  for (const contentType of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'x',
    type.replace('=x', '=y'),
  ])
    assert.equal(read(whole, 9, contentType), undefined, contentType);
});
