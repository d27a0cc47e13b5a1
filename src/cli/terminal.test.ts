import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTerminal, wrap } from './terminal.ts';

test('text is wrapped at spaces, with its own width for the first line; only long words are cut; nothing is lost', () => {
  assert.deepEqual(wrap('one two three four', 12, 16), ['one two', 'three four']);
  assert.deepEqual(wrap('abcdefghijklmno', 10), ['abcdefghij', 'klmno']);
  const texts = fc.array(fc.string({ minLength: 1, maxLength: 30 }).filter((it) => !it.includes(' ')));
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 10, max: 40 }),
      fc.integer({ min: 10, max: 40 }),
      (words, width, rest) => {
        const lines = wrap(words.join(' '), width, rest);
        lines.forEach((line, i) => {
          assert.ok(line.length <= (i === 0 ? width : rest));
        });
        assert.equal(lines.join('').replaceAll(' ', ''), words.join(''));
      },
    ),
  );
});

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

test('a long line is wrapped on a terminal, and left whole in a pipe', () => {
  const printed = (isTTY: boolean) => {
    let text = '';
    createTerminal(
      { isTTY, columns: 30, write: (chunk: string) => (text += chunk) },
      { colour: false },
    ).print('  one two three four five six seven\n\nbelow');
    return text;
  };
  assert.equal(printed(true), '  one two three four five six\n  seven\n\nbelow\n');
  assert.equal(printed(false), '  one two three four five six seven\n\nbelow\n');
});
