import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../shared/log/log.ts';
import { createLinkLog } from './link-log.ts';

test('trouble that lasts is reported at once, then every five minutes with how long it lasts', () => {
  const said: unknown[] = [];
  const log: Log = {
    say: (code, fields) => said.push([code, fields?.minutes, fields?.attempts]),
    child: () => log,
  };
  const link = createLinkLog(log, 'pbx:5038');
  const minute = 60_000;
  for (let at = 0; at <= 11 * minute; at += 10_000)
    link.down(at, { kind: 'unreachable', detail: 'ECONNREFUSED' });
  link.down(12 * minute, { kind: 'login-refused', detail: 'Authentication failed' });
  link.up(13 * minute, '22.10.1', 3);
  link.down(14 * minute, { kind: 'login-refused', detail: 'Authentication failed' });
  assert.deepEqual(said, [
    ['ami.unreachable', undefined, undefined],
    ['ami.still-down', 5, 31],
    ['ami.still-down', 10, 61],
    ['ami.login-refused', undefined, undefined],
    ['ami.connected', undefined, 68],
    ['ami.login-refused', undefined, undefined],
  ]);
});
