import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeSections } from './env.ts';
import { startConfig } from './reload.ts';
import { ConfigError } from './variable.ts';

const before = {
  AMI_USERNAME: 'bridge',
  AMI_SECRET: 'a secret',
  API_BASE_URL: 'https://example.com/api/v1',
  API_TOKEN: 'token-1234567890',
};

test('a new address with its new secret: both need a restart, for the secret must not go to the old address', () => {
  const running = startConfig(bridgeSections, before);
  const next = {
    API_BASE_URL: 'https://example.org/api/v1',
    API_TOKEN: 'new-token',
    AMI_HOST: 'pbx2',
    AMI_SECRET: 'new',
  };
  const { config, live, restart } = running.reload({ ...before, ...next });
  assert.deepEqual([live, restart], [[], ['AMI_HOST', 'AMI_SECRET', 'API_BASE_URL', 'API_TOKEN']]);
  assert.deepEqual(
    [config.api.baseUrl, config.api.token, config.ami.host, config.ami.secret],
    [before.API_BASE_URL, before.API_TOKEN, '127.0.0.1', before.AMI_SECRET],
  );
});

test('one invalid value refuses the whole reload', () => {
  const running = startConfig(bridgeSections, before);
  assert.throws(
    () => running.reload({ ...before, API_TOKEN: 'new-token', LOG_LEVEL: 'loud' }),
    (error) => error instanceof ConfigError && /^LOG_LEVEL/.test(error.lines[0] ?? ''),
  );
  assert.deepEqual(running.reload(before).live, []);
});
