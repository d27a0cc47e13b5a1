import assert from 'node:assert/strict';
import { fstatSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isReadByJournal } from './journal.ts';
import { createLog, type LogOptions, oncePerMinute } from './log.ts';
import { messages } from './messages.ts';
import { redactFields } from './redact.ts';

function logged(options: Partial<LogOptions>, say: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  const destination = {
    write(line: string) {
      text += line;
    },
    status: () => ({ dropped: 0 }),
  };
  say(
    createLog({
      level: 'info',
      format: 'json',
      numbers: 'mask',
      colour: false,
      secrets: [],
      destination,
      ...options,
    }),
  );
  return text;
}

describe('redaction', () => {
  const redact = (value: unknown, more: Partial<Parameters<typeof redactFields>[1]> = {}) =>
    redactFields({ value }, { secrets: ['s3cret'], maskNumbers: true, ...more }).value;

  const rows: [string, unknown, unknown][] = [
    ['a number', '+31201234567', '+312******67'],
    ['a number in a text', 'from 0201234567 refused', 'from 020*****67 refused'],
    ['an extension', '1001', '1001'],
    ['a call id is left alone in a text', 'pbx-1763618000.12', 'pbx-1763618000.12'],
    ['a secret', 'Bearer s3cret!', 'Bearer [secret]!'],
    ['a secret in depth', { a: [{ b: 's3cret' }] }, { a: [{ b: '[secret]' }] }],
    ['a secret in an error', Object.assign(new Error('no s3cret'), { code: 'EIO' }), 'no [secret]'],
    ['a terminal escape', '\x1b[2J', '\\x1b[2J'],
    ['a line break', 'a\r\nb', 'a\\x0d\\x0ab'],
    ['a mark that changes the direction of text', 'a\u202eb', 'a\\u202eb'],
    ['a hostile key', { 'a\x1b': 1 }, { 'a\\x1b': 1 }],
    ['nothing', undefined, undefined],
    ['a count', 12_345_678, 12_345_678],
  ];
  for (const [name, value, expected] of rows) test(name, () => assert.deepEqual(redact(value), expected));

  test('an error without a code is logged with its place', () =>
    assert.match(
      String(redact(new TypeError('x is not a function'))),
      /^x is not a function \(at .*log\.test\.ts:\d+:\d+\)?\)$/,
    ));
  test('numbers are not masked if masking is off', () =>
    assert.equal(redact('+31201234567', { maskNumbers: false }), '+31201234567'));
  test('a very short secret is not replaced', () =>
    assert.equal(redact('pbx-bridge', { secrets: ['', 'b'] }), 'pbx-bridge'));
  test('ids are never masked', () =>
    assert.deepEqual(redactFields({ uniqueid: '1763618000' }, { secrets: [], maskNumbers: true }), {
      uniqueid: '1763618000',
    }));
});

test('a line holds the code, the fields, and the text with the fields in it, all redacted', () => {
  const line = logged({ secrets: ['hush'] }, (log) =>
    log.child({ part: 'ami' }).say('ami.connected', {
      version: '22 hush',
      address: '127.0.0.1:5038',
      channels: 3,
      from: '+31201234567',
    }),
  );
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
  assert.ok(Number.isFinite(Date.parse(String(time))));
  assert.deepEqual(rest, {
    level: 'info',
    code: 'ami.connected',
    part: 'ami',
    version: '22 [secret]',
    address: '127.0.0.1:5038',
    channels: 3,
    from: '+312******67',
    msg: 'connected to Asterisk 22 [secret] at 127.0.0.1:5038; channels in progress: 3',
  });
});

test('in the journal, a line is its priority, its text and its code', () => {
  const line = logged({ format: 'auto', journal: true }, (log) => {
    log.say('ami.connected', { version: '22\n<2>x', address: 'pbx', channels: 0 });
    log.say('ami.lost', { address: 'pbx', reason: 'closed by Asterisk' });
    log.say('ami.login-refused', { address: 'pbx', reason: 'Authentication failed' });
    log.say('program.failed', { error: Object.assign(new Error('a\nb'), { code: 'EIO' }) });
  });
  assert.deepEqual(line.split('\n'), [
    '<6>connected to Asterisk 22\\x0a<2>x at pbx; channels in progress: 0 [ami.connected]',
    '<4>the connection to Asterisk at pbx has ended: closed by Asterisk; reconnecting [ami.lost]',
    '<3>cannot log in to Asterisk at pbx: Authentication failed; retrying [ami.login-refused]',
    '<2>cannot continue: a\\x0ab; exiting with code 1, so that the service manager restarts the program [program.failed]',
    '',
  ]);
});

test('the journal is known by its device and inode; a pipe in the place of its socket is not it', () => {
  const { dev, ino } = fstatSync(0);
  assert.equal(isReadByJournal(0, `${dev}:${ino}`), true);
  assert.equal(isReadByJournal(0, `${dev}:${ino}1`), false);
  assert.equal(isReadByJournal(0, undefined), false);
});

test('every message has a meaning, and every error a remedy', () => {
  for (const [code, message] of Object.entries(messages) as [
    string,
    { level: string; means: string; todo?: string },
  ][]) {
    assert.match(code, /^[a-z]+(\.[a-z0-9-]+)+$/);
    assert.ok(message.means.length > 20, code);
    if (['error', 'fatal'].includes(message.level)) assert.ok(message.todo, `${code} needs a todo`);
  }
});

test('a line that is limited to once a minute comes again when the clock has been set back', () => {
  let now = 1e12;
  const reported: number[] = [];
  const limited = oncePerMinute(() => now);
  const at = (time: number) => {
    now = time;
    limited((suppressed) => reported.push(suppressed));
  };
  for (const time of [1e12, 1e12 + 59_999, 0, 59_999, 60_000]) at(time);
  assert.deepEqual(reported, [0, 1, 1]);
});
