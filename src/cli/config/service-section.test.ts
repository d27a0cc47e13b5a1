import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from './env.ts';
import { serviceSection } from './service-section.ts';
import type { ConfigError, Environment } from './variable.ts';

const load = (environment: Environment) => loadConfig({ service: serviceSection }, environment).service;

test('all settings are used', () => {
  const options = load({
    SERVICE_LISTEN: '[::1]:0',
    SERVICE_STATE_DIR: '/var/lib/pbx',
    DATABASE_URL: 'postgres://pbx:p%40ss@one:5432,two/pbx?sslmode=verify-full',
    DATABASE_LISTEN_URL: 'postgresql://pbx@db/pbx',
    SERVICE_COUNTRY: 'NL',
    SERVICE_TLS_CERT: '/etc/pbx/fullchain.pem',
    SERVICE_TLS_KEY: '/etc/pbx/privkey.pem',
    SERVICE_HISTORY_MAX_AGE: '90d',
    SERVICE_HISTORY_MAX_ENTRIES: '1000000',
    SERVICE_CALLS_MAX_AGE: '60d',
    SERVICE_METRICS_LISTEN: '127.0.0.1:9439',
    SERVICE_AUDIT_MAX_AGE: '30d',
    SERVICE_WEBHOOK_NETWORKS: '10.1.2.3,fd00::/8',
    SERVICE_WEBHOOK_MAX_AGE: '7d',
    SERVICE_RATE_LIMIT: '600',
    SERVICE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8,',
    SERVICE_URL: 'https://phone.example.com/',
    SERVICE_HOSTS: 'calls.example.com, calls',
  });
  assert.deepEqual(options, {
    listen: { host: '::1', port: 0 },
    stateDir: '/var/lib/pbx',
    tls: { certificate: '/etc/pbx/fullchain.pem', key: '/etc/pbx/privkey.pem' },
    metrics: { host: '127.0.0.1', port: 9439 },
    database: {
      url: 'postgres://pbx:p%40ss@one:5432,two/pbx?sslmode=verify-full',
      listenUrl: 'postgresql://pbx@db/pbx',
    },
    country: 'NL',
    retention: {
      maxAgeMs: 90 * 86_400_000,
      maxEntries: 1_000_000,
      callsMaxAgeMs: 60 * 86_400_000,
      auditMaxAgeMs: 30 * 86_400_000,
      webhooksMaxAgeMs: 7 * 86_400_000,
    },
    webhookNetworks: ['10.1.2.3', 'fd00::/8'],
    backups: undefined,
    requestsPerMinute: 600,
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
    publicUrl: 'https://phone.example.com',
    hosts: ['phone.example.com', 'calls.example.com', 'calls'],
  });
});

test('scheduled backups are for SQLite', () => {
  const set = { SERVICE_BACKUP_DIR: '/backup', SERVICE_BACKUP_KEEP: '30' };
  assert.deepEqual(load(set).backups, { directory: '/backup', keep: 30 });
  assert.throws(
    () => load({ ...set, DATABASE_URL: 'postgres://pbx@db/pbx' }),
    /^Error: SERVICE_BACKUP_DIR: is set, and DATABASE_URL too/,
  );
});

test('each invalid value is one line', () => {
  const wrong: Record<string, string[]> = {
    SERVICE_LISTEN: ['8080', '127.0.0.1:65536', '::1:8080'],
    SERVICE_COUNTRY: ['Holland'],
    SERVICE_URL: [
      'calls.example.com',
      'ftp://calls.example.com',
      'https://calls.example.com/under/it',
      'https://name:password@calls.example.com',
    ],
    SERVICE_HOSTS: ['https://calls.example.com', 'calls.example.com:8080'],
    SERVICE_BACKUP_DIR: ['a\0b'],
    SERVICE_BACKUP_KEEP: ['0'],
    SERVICE_HISTORY_MAX_AGE: ['90'],
    SERVICE_HISTORY_MAX_ENTRIES: ['0'],
    SERVICE_AUDIT_MAX_AGE: ['1h'],
    SERVICE_CALLS_MAX_AGE: ['0d'],
    SERVICE_RATE_LIMIT: ['-1'],
    SERVICE_TRUSTED_PROXIES: [
      'proxy.example.com',
      '10.0.0.1,abc',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.0/',
      '0.0.0.0/0',
    ],
  };
  for (const [name, values] of Object.entries(wrong))
    for (const value of values)
      assert.throws(
        () => load({ [name]: value }),
        ({ lines }: ConfigError) =>
          lines.length === 1 && new RegExp(`^${name}: got ".*"; takes `).test(lines[0] ?? ''),
        `${name}=${value}`,
      );
});

test('an invalid DATABASE_URL is reported without its password', () => {
  for (const url of [
    'mysql://u:hush@db/pbx',
    'postgres://u:hush@db',
    'postgres://u:hu sh@db/pbx',
    'pbx:hush@db/pbx',
  ])
    assert.throws(
      () => load({ DATABASE_URL: url }),
      ({ lines: [line = ''], message }: ConfigError) =>
        /^DATABASE_URL: got an invalid value of \d+ characters; takes postgres:/.test(line) &&
        !/hu ?sh/.test(message),
      url,
    );
});
