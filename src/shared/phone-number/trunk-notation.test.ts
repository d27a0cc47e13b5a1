import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTrunkNotation } from './trunk-notation.ts';

test('the entries of TRUNK_NUMBERS', () => {
  const rows: [entry: string, kind: string | undefined, strip?: string][] = [
    ['PJSIP/provider-*:e164', 'e164', ''],
    ['PJSIP/pstn-*:national:strip=0', 'national', '0'],
    ['DAHDI/*:strip=9', 'auto', '9'],
    ['*:as-is', 'as-is', ''],
    ['PJSIP/provider-*', undefined],
    ['PJSIP/provider-*:', undefined],
    ['PJSIP/provider-*:local', undefined],
    ['PJSIP/provider-*:strip=', undefined],
    ['PJSIP/provider-*:strip=+49', undefined],
    ['PJSIP/provider-*:strip=0:national', undefined],
    [':e164', undefined],
  ];
  for (const [entry, kind, strip] of rows) {
    const notation = readTrunkNotation(entry)?.notation;
    assert.deepEqual(notation, kind && { kind, strip, rule: entry }, entry);
  }
});
