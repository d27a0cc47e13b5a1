import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTerminal } from './terminal.ts';

test('colours only on a terminal that wants them; control characters are escaped', () => {
  const written = (isTTY: boolean, colour: boolean) => {
    let text = '';
    const out = { isTTY, columns: 40, write: (chunk: string) => (text += chunk) };
    const terminal = createTerminal(out, { colour });
    terminal.wrapped(terminal.paint('red', 'x '), 'a\x1b[2Jb', 2);
    return text;
  };
  assert.equal(written(true, true), '\x1b[31mx \x1b[39ma\\x1b[2Jb\n');
  assert.equal(written(true, false), 'x a\\x1b[2Jb\n');
  assert.equal(written(false, true), 'x a\\x1b[2Jb\n');
});

test('whatever is printed has no control characters but our own colours', () => {
  const hostile = 'a\x1b[2J\x1b]0;title\x07\x9b2J\x1b[8mhidden\u202egnp.exe\x7f';
  for (const [isTTY, colour] of [
    [true, true],
    [true, false],
    [false, true],
  ] as const) {
    let text = '';
    const out = { isTTY, columns: 100, write: (chunk: string) => (text += chunk) };
    const terminal = createTerminal(out, { colour });
    terminal.print(`${terminal.paint('bold', hostile)}\n${hostile}`);
    terminal.wrapped(hostile, hostile, 2);
    terminal.json({ hostile });
    const rest = isTTY && colour ? text.replaceAll('\x1b[1m', '').replaceAll('\x1b[22m', '') : text;
    assert.doesNotMatch(rest, /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    const json = rest.slice(rest.lastIndexOf('\n{') + 1);
    assert.deepEqual(JSON.parse(json), { hostile }, 'still JSON of the same text');
  }
});
