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
