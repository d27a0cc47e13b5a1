import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Notice } from './alert-rules.ts';
import { alertJson, alertMail } from './alert-text.ts';

const sender = { program: 'bridge', name: 'pbx' } as const;
const since = Date.UTC(2026, 10, 22, 14, 5);
const began: Notice = {
  ...{ state: 'began', code: 'delivery.paused', what: 'delivery paused: 401', remedy: 'Check API_TOKEN.' },
  ...{ since, times: 1, flaps: false },
};

test('a mail says what, since when, what to do and the code', () =>
  assert.deepEqual(alertMail([began], sender), {
    subject: '[pbx-bridge bridge pbx] PROBLEM: delivery paused: 401',
    text: `PROBLEM: delivery paused: 401
Since: 2026-11-22 14:05 UTC
What to do: Check API_TOKEN.
Code: delivery.paused

Sent by pbx-bridge, bridge pbx.
`,
  }));

test('several are one mail; the end has no remedy; what comes and goes says so', () => {
  const over: Notice = { ...began, state: 'over', until: since + 3_600_000, times: 12, flaps: true };
  const { subject, text } = alertMail([began, over, began], sender);
  assert.equal(subject, '[pbx-bridge bridge pbx] 2 PROBLEM, 1 OVER');
  const part = text.split('\n\n')[1];
  assert.equal(
    part,
    `OVER: delivery paused: 401
Since: 2026-11-22 14:05 UTC, until 2026-11-22 15:05 UTC
It came and went 12 times.
Code: delivery.paused`,
  );
});

test('numbers are masked and control characters shown, in mail and JSON', () => {
  const hostile = { ...began, what: 'rejected +4940123456\r\nBcc: x@y\u001b[31m' };
  const { subject, text } = alertMail([hostile], sender);
  const json = JSON.stringify(alertJson([hostile], sender));
  for (const it of [subject, text.split('\n')[0], json]) {
    assert.doesNotMatch(it ?? '', /4940123456|\r|\u001b/);
    assert.match(it ?? '', /rejected \+494\*+56/);
  }
});

test('the JSON has a text for people and the rest for programs', () => {
  const { text, ...rest } = alertJson([began], sender);
  assert.match(text, /^\[pbx-bridge bridge pbx\] PROBLEM: .*Check API_TOKEN/s);
  const { since: _, ...same } = began;
  assert.deepEqual(rest, { ...sender, alerts: [{ ...same, since: '2026-11-22T14:05:00.000Z' }] });
});
