import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownSettings } from './env.ts';
import { misspelt } from './misspelt-settings.ts';

test('a name that is almost a setting is named with it; other names and real settings are left alone', () => {
  const set = [
    'API_TOKN',
    'AMI_SECRT_FILE',
    'DEFAULT_CONTRY',
    'API_TOKEN',
    'API_TOKEN_FILE',
    'LANG',
    'SERVICE_LISTEN',
    'PATH',
  ];
  assert.deepEqual(misspelt(set, knownSettings()), [
    { name: 'API_TOKN', nearest: 'API_TOKEN' },
    { name: 'AMI_SECRT_FILE', nearest: 'AMI_SECRET' },
    { name: 'DEFAULT_CONTRY', nearest: 'DEFAULT_COUNTRY' },
  ]);
});
