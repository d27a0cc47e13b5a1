import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Notice } from './alert-rules.ts';
import { alertJson, alertMail } from './alert-targets.ts';

const sender = { program: 'bridge', name: 'pbx' } as const;
const since = Date.UTC(2026, 10, 22, 14, 5);
const began: Notice = {
  state: 'began',
  code: 'delivery.paused',
  what: 'delivery paused: 401',
  remedy: 'Check API_TOKEN.',
  since,
  times: 1,
  flaps: false,
};

test('numbers are masked and control characters shown, in mail and JSON', () => {
  const hostile = { ...began, what: 'rejected +4940123456\r\nBcc: x@y\u001b[31m' };
  const { subject, text } = alertMail([hostile], sender);
  const json = JSON.stringify(alertJson([hostile], sender));
  for (const it of [subject, text.split('\n')[0], json]) {
    assert.doesNotMatch(it ?? '', /4940123456|\r|\u001b/);
    assert.match(it ?? '', /rejected \+494\*+56/);
  }
});
