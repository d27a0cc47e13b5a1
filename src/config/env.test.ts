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

/** What each variable takes, and values that are none of it; of secrets only the length is said. */
const refused: Record<string, Record<string, string | string[]>> = {
  'a host name or address': { AMI_HOST: 'a\nb' },
  'a port number from 1 to 65535': { AMI_PORT: ['0', '65536', 'abc'] },
  "the manager user's secret, on one line": { AMI_SECRET: 'x\r\ny' },
  'yes or no': {
    ...{ AMI_TLS: 'maybe', API_ALLOW_HTTP: 'x', API_EXTRAS: 'x' },
    ...{ AGI_SET_QUEUE_PRIO: 'x', AGI_VERBOSE: 'x', AGI_ASK_AHEAD: 'x' },
  },
  '1 to 32 letters, digits, dots, dashes or underscores': { PBX_ID: 'a b' },
  'a comma-separated list of globs, such as from-trunk*,from-pstn*': { INBOUND_CONTEXTS: '!from-x' },
  'a comma-separated list of globs, such as PJSIP/my-trunk-*': {
    INBOUND_CHANNELS: ['a\nb', 'PJSIP/[', 'a,('],
  },
  'a country as two capital letters (ISO 3166), such as NL': { DEFAULT_COUNTRY: 'Holland' },
  'a comma-separated list of GLOB:KIND, GLOB:strip=DIGITS or GLOB:KIND:strip=DIGITS, such as PJSIP/provider-*:e164,DAHDI/*:national:strip=0; KIND is e164, national or as-is':
    { TRUNK_NUMBERS: ['PJSIP/a-*', 'PJSIP/a-*:local', '!a:e164', '[:e164'] },
  'one of trunk, dialplan': { REPORTED_NUMBER: 'ani' },
  'a phone number': { WITHHELD_NUMBER: 'none', MISSING_NUMBER: 'none' },
  'one of endpoint, callerid': { ANSWERED_BY: 'name' },
  'an http or https address that ends in /api/v1': {
    API_BASE_URL: ['https://example.com', 'https://example.com/api/v1?x=1', 'example.com/api/v1'],
  },
  'the integration token, without spaces, on one line': { API_TOKEN: 'tok\nen' },
  'the address of a proxy, such as http://proxy.example.com:3128 or http://user:password@host:3128': {
    HTTP_PROXY: 'http://',
  },
  'names, addresses and networks, separated by commas, or *': { NO_PROXY: 'a\nb' },
  'the path of a readable PEM file': { API_CLIENT_KEY: pem },
  'an address and a port, such as 127.0.0.1:9000 or [::]:9000 (port 0: any free port), or off': {
    STATUS_LISTEN: 'yes',
    AGI_LISTEN: ['4573', '1.2.3.4:65536', ':4573', '[::1:4573', '1.2.3.4:', 'a b:1'],
  },
  'a comma-separated list of addresses or networks, such as 10.0.0.5,10.1.0.0/16': { AGI_ALLOW: 'pbx' },
  'a whole number from 50 to 5000': { AGI_DEADLINE_MS: '0' },
  'a number or a word of 1 to 32 letters, digits, dots, dashes or underscores': {
    AGI_DEFAULT_PRIORITY: 'a b',
  },
  'a comma-separated list of priorities and whole numbers, such as gold=20,silver=10': {
    AGI_QUEUE_PRIO_MAP: 'gold=20,silver',
  },
  'a whole number from 1 to 100': { AGI_CONCURRENCY: '101' },
  'a whole number from 1 to 1000000': { AGI_CACHE_ENTRIES: '0' },
  'a name of letters, digits, dots, dashes or underscores': {
    ...{ PRIORITY_PARAM: 'a b', PRIORITY_FIELD: '1', PRIORITY_NAME_FIELD: 'a b' },
  },
  'csv:PATH, sqlite:PATH, or mysql://USER@HOST/DATABASE (with the password in CDR_PASSWORD; ?tls=yes and ?tls=CA.pem need a host name as HOST)':
    { CDR_SOURCE: '/var/log/asterisk/cdr-csv/Master.csv' },
  "the database user's password, on one line": { CDR_PASSWORD: 'a\nb' },
  'the path of a directory': { STATE_DIR: 'a\0b' },
  'a whole number from 0 to 600000': { STANDBY_DELAY_MS: '10s' },
  'smtp://HOST, smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT, with @ : / % and # in user and password written as %40 %3A %2F %25 and %23, on one line':
    {
      SMTP_URL: [
        'smtp://mail/x',
        'smtp://',
        'mail',
        'http://mail',
        'smtp://a@mail',
        'smtp://a:%@mail',
        'smtp://m?tls=no',
      ],
    },
  'an address such as pbx@example.com or Phones <pbx@example.com>': { MAIL_FROM: 'pbx' },
  'a comma-separated list of addresses, such as ops@example.com': { ALERT_MAIL: 'ops' },
  'an https address, or an http address of this machine, on one line': {
    ALERT_WEBHOOK: 'http://chat.example.com/x',
  },
  'one of debug, info, warn, error': { LOG_LEVEL: 'loud' },
  'one of auto, pretty, json': { LOG_FORMAT: 'xml' },
  'any text': { NO_COLOR: '1\n' },
  'one of mask, show': { LOG_NUMBERS: 'yes' },
};
for (const [from, to, values] of [
  ['1s', '60s', { API_TIMEOUT: ['10', '2m'] }],
  ['0s', '24h', { AGI_CACHE_FRESH: '60', AGI_CACHE_NOT_FOUND: 'x' }],
  ['0s', '30d', { AGI_CACHE_STALE: '31d' }],
  ['1h', '365d', { OUTBOX_MAX_AGE: 'long', OUTBOX_KEEP: '1m' }],
  ['0s', '1d', { RECONCILE_EVERY: 'never', ALERT_AFTER: '2d' }],
  ['0s', '90d', { JOURNAL_KEEP: '1y' }],
] as [string, string, Record<string, string | string[]>][])
  refused[`a time from ${from} to ${to}, such as 500ms, 10s, 5m, 12h or 14d`] = values;

const secrets = ['AMI_SECRET', 'API_TOKEN', 'CDR_PASSWORD', 'SMTP_URL', 'ALERT_WEBHOOK'];
/** What else must be set for these to be read. */
const beside: Record<string, Environment> = {
  SMTP_URL: { MAIL_FROM: 'a@b' },
  ALERT_MAIL: { SMTP_URL: 'smtp://mail', MAIL_FROM: 'a@b' },
};

describe('invalid values', () => {
  const tables = Object.entries(refused).flatMap(([takes, variables]) =>
    Object.entries(variables).flatMap(([name, values]) =>
      [values].flat().map((value): [Environment, string] => {
        const shown = secrets.includes(name)
          ? `an invalid value of ${value.length} characters`
          : JSON.stringify(value);
        return [{ [name]: value, ...beside[name] }, `${name}: got ${shown}; takes ${takes}`];
      }),
    ),
  );
  const rows: [Environment, string][] = [
    ...tables,
    [{ AMI_USERNAME: '' }, 'AMI_USERNAME: is not set; takes the name of a manager user'],
    ...['AMI_TLS_CA', 'AMI_TLS_SERVERNAME'].map((name): [Environment, string] => [
      { [name]: name === 'AMI_TLS_CA' ? pem : 'pbx' },
      `${name}: is set, but AMI_TLS is off; set AMI_TLS=yes or remove ${name}`,
    ]),
    [
      { INBOUND_CONTEXTS: ' , ' },
      'INBOUND_CONTEXTS: is empty, and so is INBOUND_CHANNELS; no call would be reported, set one of them',
    ],
    [
      { API_BASE_URL: 'http://example.com/api/v1' },
      'API_BASE_URL: got plain http to example.com, which would send the token unencrypted; use https, or set API_ALLOW_HTTP=yes',
    ],
    ...['https://a:b@x/api/v1', 'https://:b@x/api/v1'].map((API_BASE_URL): [Environment, string] => [
      { API_BASE_URL },
      'API_BASE_URL: got "https://…@x/api/v1"; takes an http or https address that ends in /api/v1',
    ]),
    [
      { HTTPS_PROXY: 'socks5://a:b@proxy' },
      'HTTPS_PROXY: got "socks5://…@proxy"; takes the address of a proxy, such as http://proxy.example.com:3128 or http://user:password@host:3128',
    ],
    [{ API_CLIENT_CERT: pem }, 'API_CLIENT_CERT: is set alone; takes a certificate and its key together'],
    [
      { AGI_LISTEN: '0.0.0.0:4573' },
      'AGI_ALLOW: allows only this machine, but AGI_LISTEN is 0.0.0.0; add the PBX to AGI_ALLOW',
    ],
    [
      { ALERT_MAIL: 'ops@example.com', SMTP_URL: '', MAIL_FROM: '' },
      'ALERT_MAIL: is set, but SMTP_URL is not; set SMTP_URL and MAIL_FROM',
    ],
    [{ SMTP_URL: 'smtp://mail' }, 'SMTP_URL: is set alone; takes SMTP_URL and MAIL_FROM together'],
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
