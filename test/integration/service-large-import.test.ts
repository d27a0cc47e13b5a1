import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, FormData, fetch } from 'undici';
import { serve } from '../tools/service/harness.ts';
import { browse, textOf } from '../tools/service/people.ts';

/** A busy machine takes minutes to answer. */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

test('100,000 customers with Cyrillic names are read; a larger table is refused with advice, after it was sent', async (t) => {
  const served = await serve(t);
  const { cookie, token } = await browse(served, 'Ada');
  const send = async (table: string, files: boolean) => {
    const fields = Object.entries({ token, table });
    const multipart = new FormData();
    for (const [name, value] of fields) multipart.set(name, value);
    const answer = await fetch(`${served.url}/customers/import`, {
      method: 'POST',
      body: files ? multipart : new URLSearchParams(fields),
      headers: { cookie, origin: served.url },
      dispatcher,
    });
    return {
      status: answer.status,
      text: textOf(await answer.text()),
    };
  };
  const line = (n: number, name: string) => `c${n};${name} ${n};+7 495 ${1_000_000 + n}`;
  const name = 'Общество с ограниченной ответственностью Ромашка';
  // As many bytes in fewer lines: a form without files is three times as large.
  for (const [files, lines, long] of [
    [true, 100_000, name],
    [false, 30_000, Array(4).fill(name).join(' ')],
  ] as const) {
    const table = `Kundennr;Name;Telefon\n${Array.from({ length: lines }, (_, n) => line(n, long)).join('\n')}`;
    assert.ok(Buffer.byteLength(table) > 11_000_000);
    const { status, text } = await send(table, files);
    assert.equal(status, 200, text.slice(0, 500));
    const [counts] = /\d+ new, \d+ changed, \d+ unchanged/.exec(text) ?? [];
    assert.equal(counts, `${lines} new, 0 changed, 0 unchanged`);
  }
  for (const [bytes, files] of [
    [17_000_000, false],
    [17_000_000, true],
    [60_000_000, true],
  ] as const) {
    const { status, text } = await send(`Name;Telefon\n${'x'.repeat(bytes)}`, files);
    assert.equal(status, 413);
    assert.match(text, /The table is larger than 16 MB\. Split it into several files/);
  }
});
