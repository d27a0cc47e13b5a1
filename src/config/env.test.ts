import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { bridgeSections, ConfigError, type Environment, isUnset, loadConfig } from './env.ts';

/** Looks like a certificate. */
const scratch = mkdtempSync(join(tmpdir(), 'config-'));
after(() => rmSync(scratch, { recursive: true }));
const pem = join(scratch, 'ca.pem');
writeFileSync(pem, '-----BEGIN CERTIFICATE-----\n');

const good = {
  AMI_USERNAME: 'bridge',
  AMI_SECRET: 'a secret',
  API_BASE_URL: 'https://example.com/api/v1',
  API_TOKEN: 'token-1234567890',
};

function problemsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(bridgeSections, { ...good, ...environment });
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.lines;
  }
}

test('the required settings alone give all options, with defaults', () => {
  const config = loadConfig(bridgeSections, good);
  assert.deepEqual(config.ami, {
    host: '127.0.0.1',
    port: 5038,
    username: 'bridge',
    secret: 'a secret',
    tls: undefined,
  });
  assert.equal(config.calls.inboundContexts.length, 8);
  assert.deepEqual(config.calls.inboundChannels, []);
  assert.equal(config.outbox.maxAgeMs, 14 * 86_400_000);
  assert.equal(config.api.baseUrl, 'https://example.com/api/v1');
});

describe('invalid values', () => {
  const rows: [Environment, string][] = [
    [{ AMI_HOST: 'a\nb' }, 'AMI_HOST: got "a\\nb"; takes a host name or address'],
    [{ AMI_PORT: '0' }, 'AMI_PORT: got "0"; takes a port number from 1 to 65535'],
    [{ AMI_PORT: '65536' }, 'AMI_PORT: got "65536"; takes a port number from 1 to 65535'],
    [{ AMI_PORT: 'abc' }, 'AMI_PORT: got "abc"; takes a port number from 1 to 65535'],
    [{ AMI_USERNAME: '' }, 'AMI_USERNAME: is not set; takes the name of a manager user'],
    [
      { AMI_SECRET: 'x\r\ny' },
      "AMI_SECRET: got an invalid value of 4 characters; takes the manager user's secret, on one line",
    ],
    [{ AMI_TLS: 'maybe' }, 'AMI_TLS: got "maybe"; takes yes or no'],
    [{ AMI_TLS_CA: pem }, 'AMI_TLS_CA: is set, but AMI_TLS is off; set AMI_TLS=yes or remove AMI_TLS_CA'],
    [
      { AMI_TLS_SERVERNAME: 'pbx' },
      'AMI_TLS_SERVERNAME: is set, but AMI_TLS is off; set AMI_TLS=yes or remove AMI_TLS_SERVERNAME',
    ],
    [{ PBX_ID: 'a b' }, 'PBX_ID: got "a b"; takes 1 to 32 letters, digits, dots, dashes or underscores'],
    [
      { INBOUND_CONTEXTS: ' , ' },
      'INBOUND_CONTEXTS: is empty, and so is INBOUND_CHANNELS; no call would be reported, set one of them',
    ],
    [
      { INBOUND_CHANNELS: 'a\nb' },
      'INBOUND_CHANNELS: got "a\\nb"; takes a comma-separated list of globs, such as PJSIP/my-trunk-*',
    ],
    [
      { DEFAULT_COUNTRY: 'Holland' },
      'DEFAULT_COUNTRY: got "Holland"; takes a country as two capital letters (ISO 3166), such as NL',
    ],
    ...['PJSIP/a-*', 'PJSIP/a-*:local', '!a:e164', '[:e164'].map((value): [Environment, string] => [
      { TRUNK_NUMBERS: value },
      `TRUNK_NUMBERS: got "${value}"; takes a comma-separated list of GLOB:KIND, GLOB:strip=DIGITS or GLOB:KIND:strip=DIGITS, such as PJSIP/provider-*:e164,DAHDI/*:national:strip=0; KIND is e164, national or as-is`,
    ]),
    [{ REPORTED_NUMBER: 'ani' }, 'REPORTED_NUMBER: got "ani"; takes one of trunk, dialplan'],
    [{ WITHHELD_NUMBER: 'none' }, 'WITHHELD_NUMBER: got "none"; takes a phone number'],
    [
      { PRIORITY_NAME_FIELD: 'a b' },
      'PRIORITY_NAME_FIELD: got "a b"; takes a name of letters, digits, dots, dashes or underscores',
    ],
    [{ MISSING_NUMBER: 'none' }, 'MISSING_NUMBER: got "none"; takes a phone number'],
    [{ ANSWERED_BY: 'name' }, 'ANSWERED_BY: got "name"; takes one of endpoint, callerid'],
    [
      { API_BASE_URL: 'https://example.com' },
      'API_BASE_URL: got "https://example.com"; takes an http or https address that ends in /api/v1',
    ],
    [
      { API_BASE_URL: 'https://example.com/api/v1?x=1' },
      'API_BASE_URL: got "https://example.com/api/v1?x=1"; takes an http or https address that ends in /api/v1',
    ],
    [
      { API_BASE_URL: 'example.com/api/v1' },
      'API_BASE_URL: got "example.com/api/v1"; takes an http or https address that ends in /api/v1',
    ],
    [
      { API_BASE_URL: 'http://example.com/api/v1' },
      'API_BASE_URL: got plain http to example.com, which would send the token unencrypted; use https, or set API_ALLOW_HTTP=yes',
    ],
    [
      { API_TOKEN: 'tok\nen' },
      'API_TOKEN: got an invalid value of 6 characters; takes the integration token, without spaces, on one line',
    ],
    [
      { HTTPS_PROXY: 'socks5://a:b@proxy' },
      'HTTPS_PROXY: got "socks5://…@proxy"; takes the address of a proxy, such as http://proxy.example.com:3128 or http://user:password@host:3128',
    ],
    [
      { HTTP_PROXY: 'http://' },
      'HTTP_PROXY: got "http://"; takes the address of a proxy, such as http://proxy.example.com:3128 or http://user:password@host:3128',
    ],
    [
      { NO_PROXY: 'a\nb' },
      'NO_PROXY: got "a\\nb"; takes names, addresses and networks, separated by commas, or *',
    ],
    [{ API_CLIENT_CERT: pem }, 'API_CLIENT_CERT: is set alone; takes a certificate and its key together'],
    [
      { API_CLIENT_KEY: pem },
      `API_CLIENT_KEY: got ${JSON.stringify(pem)}; takes the path of a readable PEM file`,
    ],
    [{ API_ALLOW_HTTP: 'x' }, 'API_ALLOW_HTTP: got "x"; takes yes or no'],
    [{ API_EXTRAS: 'x' }, 'API_EXTRAS: got "x"; takes yes or no'],
    [
      { API_TIMEOUT: '10' },
      'API_TIMEOUT: got "10"; takes a time from 1s to 60s, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [
      { API_TIMEOUT: '2m' },
      'API_TIMEOUT: got "2m"; takes a time from 1s to 60s, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [
      { STATUS_LISTEN: 'yes' },
      'STATUS_LISTEN: got "yes"; takes an address and a port, such as 127.0.0.1:9000 or [::]:9000 (port 0: any free port), or off',
    ],
    [
      { AGI_LISTEN: '4573' },
      'AGI_LISTEN: got "4573"; takes an address and a port, such as 127.0.0.1:9000 or [::]:9000 (port 0: any free port), or off',
    ],
    [
      { AGI_LISTEN: '0.0.0.0:4573' },
      'AGI_ALLOW: allows only this machine, but AGI_LISTEN is 0.0.0.0; add the PBX to AGI_ALLOW',
    ],
    [
      { AGI_ALLOW: 'pbx' },
      'AGI_ALLOW: got "pbx"; takes a comma-separated list of addresses or networks, such as 10.0.0.5,10.1.0.0/16',
    ],
    [{ AGI_DEADLINE_MS: '0' }, 'AGI_DEADLINE_MS: got "0"; takes a whole number from 50 to 5000'],
    [
      { AGI_DEFAULT_PRIORITY: 'a b' },
      'AGI_DEFAULT_PRIORITY: got "a b"; takes a number or a word of 1 to 32 letters, digits, dots, dashes or underscores',
    ],
    [{ AGI_SET_QUEUE_PRIO: 'x' }, 'AGI_SET_QUEUE_PRIO: got "x"; takes yes or no'],
    [
      { AGI_QUEUE_PRIO_MAP: 'gold=20,silver' },
      'AGI_QUEUE_PRIO_MAP: got "gold=20,silver"; takes a comma-separated list of priorities and whole numbers, such as gold=20,silver=10',
    ],
    [{ AGI_VERBOSE: 'x' }, 'AGI_VERBOSE: got "x"; takes yes or no'],
    [{ AGI_ASK_AHEAD: 'x' }, 'AGI_ASK_AHEAD: got "x"; takes yes or no'],
    [{ AGI_CONCURRENCY: '101' }, 'AGI_CONCURRENCY: got "101"; takes a whole number from 1 to 100'],
    [
      { AGI_CACHE_FRESH: '60' },
      'AGI_CACHE_FRESH: got "60"; takes a time from 0s to 24h, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [
      { AGI_CACHE_STALE: '31d' },
      'AGI_CACHE_STALE: got "31d"; takes a time from 0s to 30d, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [
      { AGI_CACHE_NOT_FOUND: 'x' },
      'AGI_CACHE_NOT_FOUND: got "x"; takes a time from 0s to 24h, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [{ AGI_CACHE_ENTRIES: '0' }, 'AGI_CACHE_ENTRIES: got "0"; takes a whole number from 1 to 1000000'],
    [
      { PRIORITY_PARAM: 'a b' },
      'PRIORITY_PARAM: got "a b"; takes a name of letters, digits, dots, dashes or underscores',
    ],
    [
      { PRIORITY_FIELD: '1' },
      'PRIORITY_FIELD: got "1"; takes a name of letters, digits, dots, dashes or underscores',
    ],
    [
      { CDR_SOURCE: '/var/log/asterisk/cdr-csv/Master.csv' },
      'CDR_SOURCE: got "/var/log/asterisk/cdr-csv/Master.csv"; takes csv:PATH, sqlite:PATH, or mysql://USER@HOST/DATABASE (with the password in CDR_PASSWORD; ?tls=yes and ?tls=CA.pem need a host name as HOST)',
    ],
    [
      { CDR_PASSWORD: 'a\nb' },
      "CDR_PASSWORD: got an invalid value of 3 characters; takes the database user's password, on one line",
    ],
    [{ STATE_DIR: 'a\0b' }, 'STATE_DIR: got "a\\u0000b"; takes the path of a directory'],
    [
      { OUTBOX_MAX_AGE: 'long' },
      'OUTBOX_MAX_AGE: got "long"; takes a time from 1h to 365d, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [{ STANDBY_DELAY_MS: '10s' }, 'STANDBY_DELAY_MS: got "10s"; takes a whole number from 0 to 600000'],
    [
      { RECONCILE_EVERY: 'never' },
      'RECONCILE_EVERY: got "never"; takes a time from 0s to 1d, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [
      { OUTBOX_KEEP: '1m' },
      'OUTBOX_KEEP: got "1m"; takes a time from 1h to 365d, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [
      { JOURNAL_KEEP: '1y' },
      'JOURNAL_KEEP: got "1y"; takes a time from 0s to 90d, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [
      { SMTP_URL: 'smtp://mail/x', MAIL_FROM: 'a@b' },
      'SMTP_URL: got an invalid value of 13 characters; takes smtp://HOST, smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT, with @ : / % and # in user and password written as %40 %3A %2F %25 and %23, on one line',
    ],
    [
      { MAIL_FROM: 'pbx' },
      'MAIL_FROM: got "pbx"; takes an address such as pbx@example.com or Phones <pbx@example.com>',
    ],
    [
      { ALERT_MAIL: 'ops', SMTP_URL: 'smtp://mail', MAIL_FROM: 'a@b' },
      'ALERT_MAIL: got "ops"; takes a comma-separated list of addresses, such as ops@example.com',
    ],
    [
      { ALERT_MAIL: 'ops@example.com', SMTP_URL: '', MAIL_FROM: '' },
      'ALERT_MAIL: is set, but SMTP_URL is not; set SMTP_URL and MAIL_FROM',
    ],
    [
      { ALERT_WEBHOOK: 'http://chat.example.com/x' },
      'ALERT_WEBHOOK: got an invalid value of 25 characters; takes an https address, or an http address of this machine, on one line',
    ],
    [
      { ALERT_AFTER: '2d' },
      'ALERT_AFTER: got "2d"; takes a time from 0s to 1d, such as 500ms, 10s, 5m, 12h or 14d',
    ],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: got "loud"; takes one of debug, info, warn, error'],
    [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT: got "xml"; takes one of auto, pretty, json'],
    [{ NO_COLOR: '1\n' }, 'NO_COLOR: got "1\\n"; takes any text'],
    [{ LOG_NUMBERS: 'yes' }, 'LOG_NUMBERS: got "yes"; takes one of mask, show'],
  ];
  for (const [environment, message] of rows)
    test(message.slice(0, 70), () => assert.deepEqual(problemsOf(environment), [message]));

  test('every variable has a row here', () => {
    const all = Object.values(bridgeSections).flatMap(({ shape }) => Object.keys(shape));
    assert.deepEqual(
      [...new Set(rows.flatMap(([environment]) => Object.keys(environment)))].sort(),
      all.sort(),
    );
  });

  test('several invalid values are one line each', () => {
    const all = Object.assign({}, ...rows.map(([environment]) => environment));
    const names = problemsOf(all).map((text) => text.split(':')[0]);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.length >= 20);
  });
});

test('AMI_TLS_CA without a PEM file', () =>
  assert.deepEqual(problemsOf({ AMI_TLS: 'yes', AMI_TLS_CA: '/nowhere' }), [
    'AMI_TLS_CA: got "/nowhere"; takes the path of a readable PEM file',
  ]));

describe('refused addresses and globs', () => {
  const globs = 'takes a comma-separated list of globs, such as ';
  const address = 'takes an http or https address that ends in /api/v1';
  const rows: [Environment, string][] = [
    [{ INBOUND_CONTEXTS: '!from-x' }, `INBOUND_CONTEXTS: got "!from-x"; ${globs}from-trunk*,from-pstn*`],
    [{ INBOUND_CHANNELS: 'PJSIP/[' }, `INBOUND_CHANNELS: got "PJSIP/["; ${globs}PJSIP/my-trunk-*`],
    [{ INBOUND_CHANNELS: 'a,(' }, `INBOUND_CHANNELS: got "a,("; ${globs}PJSIP/my-trunk-*`],
    [{ API_BASE_URL: 'https://a:b@x/api/v1' }, `API_BASE_URL: got "https://…@x/api/v1"; ${address}`],
    [{ API_BASE_URL: 'https://:b@x/api/v1' }, `API_BASE_URL: got "https://…@x/api/v1"; ${address}`],
  ];
  for (const [environment, message] of rows)
    test(message, () => assert.deepEqual(problemsOf(environment), [message]));
});

test("STATE_DIR is the unit's state directory unless it is set", () => {
  const stateDir = (environment: Environment) =>
    loadConfig(bridgeSections, { ...good, STATE_DIRECTORY: '/var/lib/a:/var/lib/b', ...environment }).outbox
      .stateDir;
  assert.equal(stateDir({}), '/var/lib/a');
  assert.equal(stateDir({ STATE_DIR: '' }), '/var/lib/a');
  assert.equal(stateDir({ STATE_DIR: '/other' }), '/other');
  const file = join(scratch, 'STATE_DIR');
  writeFileSync(file, '/from-file');
  assert.equal(stateDir({ STATE_DIR_FILE: file }), '/from-file');
});

test('the token is never printed', () => {
  for (const token of ['very-secret\n', 'very\0secret'])
    assert.doesNotMatch(problemsOf({ API_TOKEN: token, AMI_SECRET: token }).join('\n'), /very/);
});

test('plain http is accepted to this machine, and to others with API_ALLOW_HTTP', () => {
  assert.deepEqual(problemsOf({ API_BASE_URL: 'http://127.0.0.1:8080/api/v1' }), []);
  assert.deepEqual(problemsOf({ API_BASE_URL: 'http://[::1]:8080/api/v1/' }), []);
  assert.deepEqual(problemsOf({ API_BASE_URL: 'http://10.0.0.2/api/v1', API_ALLOW_HTTP: 'yes' }), []);
});

describe('the address of priority lookups', () => {
  const agi = (environment: Environment) => loadConfig(bridgeSections, { ...good, ...environment }).agi;
  const where = (environment: Environment) => {
    const server = agi(environment)?.server;
    return server && `${server.host} ${server.port} ${server.allow}`;
  };
  test('default: this machine', () => assert.equal(where({}), '127.0.0.1 9437 127.0.0.0/8,::1'));
  test('off', () => assert.equal(agi({ AGI_LISTEN: 'off' }), undefined));
  test('any free port', () =>
    assert.equal(where({ AGI_LISTEN: 'localhost:0' }), 'localhost 0 127.0.0.0/8,::1'));
  test('the network', () =>
    assert.equal(where({ AGI_LISTEN: '[::]:4573', AGI_ALLOW: '10.0.0.5, ::1' }), ':: 4573 10.0.0.5,::1'));
  test('the map to QUEUE_PRIO', () =>
    assert.deepEqual(agi({ AGI_QUEUE_PRIO_MAP: 'gold=20, 1=-3' })?.answer.queuePrio, { gold: 20, '1': -3 }));
  for (const address of ['1.2.3.4:65536', ':4573', '[::1:4573', '1.2.3.4:', 'a b:1'])
    test(address, () => assert.match(problemsOf({ AGI_LISTEN: address })[0] ?? '', /^AGI_LISTEN: got/));
});

describe('the mail server', () => {
  const mail = (SMTP_URL: string) => {
    const { login, from, ...server } =
      loadConfig(bridgeSections, { ...good, SMTP_URL, MAIL_FROM: 'PBX <pbx@example.com>' }).mail ??
      assert.fail();
    return [...Object.values(server), login && `${login.user} ${login.pass}`];
  };
  test('without a login', () => assert.deepEqual(mail('smtp://mail'), ['mail', 25, false, undefined]));
  test('with one', () => assert.deepEqual(mail('smtp://a%40b:p%2Fs@mail'), ['mail', 587, false, 'a@b p/s']));
  test('TLS', () => assert.deepEqual(mail('smtps://a:b@[::1]/'), ['::1', 465, true, 'a b']));
  test('a port', () => assert.deepEqual(mail('smtp://mail:2525'), ['mail', 2525, false, undefined]));
  test('is needed, and so is the sender', () =>
    assert.deepEqual(problemsOf({ SMTP_URL: 'smtp://mail' }), [
      'SMTP_URL: is set alone; takes SMTP_URL and MAIL_FROM together',
    ]));
  for (const wrong of [
    'smtp://',
    'mail',
    'http://mail',
    'smtp://a@mail',
    'smtp://a:%@mail',
    'smtp://m?tls=no',
  ])
    test(wrong, () =>
      assert.match(problemsOf({ SMTP_URL: wrong, MAIL_FROM: 'a@b' })[0] ?? '', /^SMTP_URL: got/),
    );
});

describe('secrets from files', () => {
  const folder = join(scratch, 'credentials');
  mkdirSync(folder);
  const file = join(folder, 'API_TOKEN');
  writeFileSync(file, 'from-a-file\n');

  test('NAME_FILE', () => {
    const { api } = loadConfig(bridgeSections, { ...good, API_TOKEN: undefined, API_TOKEN_FILE: file });
    assert.equal(api.token, 'from-a-file');
  });
  test('a systemd credential', () => {
    const environment = { ...good, API_TOKEN: undefined, CREDENTIALS_DIRECTORY: folder };
    assert.equal(loadConfig(bridgeSections, environment).api.token, 'from-a-file');
    assert.equal(isUnset(['API_TOKEN'], environment), false);
    assert.equal(isUnset(['AMI_TLS'], environment), true);
  });
  test('NAME and NAME_FILE together are refused', () =>
    assert.deepEqual(problemsOf({ API_TOKEN_FILE: file }), [
      'API_TOKEN: is set, and API_TOKEN_FILE too; keep one of them',
    ]));
  test('a missing file', () =>
    assert.deepEqual(problemsOf({ API_TOKEN: undefined, API_TOKEN_FILE: '/nowhere' }), [
      'API_TOKEN_FILE: got /nowhere, which cannot be read (ENOENT); takes the path of a file',
    ]));
  test('an empty file', () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '\n');
    chmodSync(empty, 0o600);
    assert.deepEqual(
      problemsOf({ API_TOKEN: undefined, API_TOKEN_FILE: empty }),
      ['API_TOKEN: is not set; takes the integration token, without spaces'].map(
        (text) => `${text}, on one line`,
      ),
    );
  });
});
