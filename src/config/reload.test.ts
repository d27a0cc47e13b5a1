import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeSections, ConfigError } from './env.ts';
import { startConfig } from './reload.ts';

const before = {
  AMI_USERNAME: 'bridge',
  AMI_SECRET: 'a secret',
  API_BASE_URL: 'https://example.com/api/v1',
  API_TOKEN: 'token-1234567890',
};

test('live settings take effect, and are listed', () => {
  const running = startConfig(bridgeSections, before);
  const { config, live, restart } = running.reload({
    ...before,
    AMI_SECRET: 'another secret',
    API_TOKEN: 'token-0987654321',
    INBOUND_CONTEXTS: 'from-somewhere',
    LOG_LEVEL: 'debug',
  });
  assert.deepEqual(live, ['AMI_SECRET', 'API_TOKEN', 'INBOUND_CONTEXTS', 'LOG_LEVEL']);
  assert.deepEqual(restart, []);
  assert.equal(config.ami.secret, 'another secret');
  assert.equal(config.api.token, 'token-0987654321');
  assert.deepEqual(config.calls.inboundContexts, ['from-somewhere']);
  assert.equal(config.logging.level, 'debug');
});

test('settings that need a restart stay unchanged, and are listed at each reload until then', () => {
  const running = startConfig(bridgeSections, before);
  const changed = { ...before, PBX_ID: 'berlin', AMI_PORT: '5039', ANSWERED_BY: 'callerid' };
  const first = running.reload(changed);
  assert.deepEqual(first.restart, ['AMI_PORT', 'PBX_ID']);
  assert.equal(first.config.calls.pbxId, 'pbx');
  assert.equal(first.config.calls.answeredBy, 'callerid');
  assert.equal(first.config.ami.port, 5038);
  const second = running.reload(changed);
  assert.deepEqual([second.live, second.restart], [[], ['AMI_PORT', 'PBX_ID']]);
  const third = running.reload({ ...before, ANSWERED_BY: 'callerid' });
  assert.deepEqual([third.live, third.restart], [[], []]);
});

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

test('the live settings of a section are among its variables', () => {
  for (const { shape, live = [] } of Object.values(bridgeSections) as {
    shape: object;
    live?: readonly string[];
  }[])
    for (const name of live) assert.ok(name in shape, name);
});
