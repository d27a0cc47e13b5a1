import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callExtrasSchema, shortText } from './call-extras.ts';

test('half of a pair of surrogates is no part of a text: a database refuses it', () => {
  const cut = `${'1'.repeat(63)}😀`;
  assert.equal(shortText(cut, 64), `${'1'.repeat(63)}\ufffd`);
  assert.equal(shortText('10\r\n1', 64), '101');
  const extras = callExtrasSchema.parse({
    line: 'PJSIP/\ud800',
    missed: { name: 'sales\udc00' },
    rang: [{ by: '\ud83d', from: 0, for: 1 }],
  });
  assert.deepEqual(
    [extras.line, extras.missed?.name, extras.rang?.[0]?.by],
    ['PJSIP/\ufffd', 'sales\ufffd', '\ufffd'],
  );
});
