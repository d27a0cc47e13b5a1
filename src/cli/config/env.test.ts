import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { bridgeSections, isUnset, loadConfig } from './env.ts';
import { ConfigError, type Environment } from './variable.ts';

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
  assert.equal(config.api.baseUrl, 'https://example.com/api/v1');
});

/** Values that a variable does not take; of secrets only the length is said. */
const refused: Record<string, string | string[]> = {
  AMI_HOST: 'a\nb',
  AMI_PORT: ['0', '65536', 'abc'],
  AMI_SECRET: 'x\r\ny',
  AMI_TLS: 'maybe',
  API_ALLOW_HTTP: 'x',
  API_EXTRAS: 'x',
  CALL_BACKS: ['!1*', '2001,[', ',', '1', '0', 'Yes', 'NO', 'none', '2001, all'],
  API_TOKEN: 'tok\nen',
  API_CLIENT_KEY: pem,
  API_BASE_URL: ['https://example.com', 'https://example.com/api/v1?x=1', 'example.com/api/v1'],
  API_TIMEOUT: ['10', '2m'],
  HTTP_PROXY: 'http://',
  NO_PROXY: 'a\nb',
  PBX_ID: 'a b',
  INBOUND_CONTEXTS: '!from-x',
  INBOUND_CHANNELS: ['a\nb', 'PJSIP/[', '('],
  NOT_A_PERSON: ['!PJSIP/bot', '['],
  DEFAULT_COUNTRY: 'Holland',
  TRUNK_NUMBERS: ['PJSIP/a-*', 'PJSIP/a-*:local', '!a:e164', '[:e164'],
  DEVICE_NAMES: ['99*', '=1', '99=*', '9*9*=*'],
  REPORT_RULES: ['ignore', 'drop *', 'ignore caler +49160*', 'ignore caller anna', 'ignore channel ['],
  REPORTED_NUMBER: 'ani',
  WITHHELD_NUMBER: 'none',
  MISSING_NUMBER: 'none',
  ANSWERED_BY: 'name',
  STATUS_LISTEN: 'yes',
  AGI_LISTEN: ['4573', '1.2.3.4:65536', ':4573', '[::1:4573', '1.2.3.4:', 'a b:1'],
  AGI_SET_QUEUE_PRIO: 'x',
  AGI_ALLOW: 'pbx',
  AGI_DEADLINE_MS: '0',
  AGI_DEFAULT_PRIORITY: 'a b',
  AGI_QUEUE_PRIO_MAP: 'silver',
  PRIORITY_PARAM: 'a b',
  PRIORITY_FIELD: '1',
  PRIORITY_NAME_FIELD: 'a b',
  CDR_SOURCE: '/var/log/asterisk/cdr-csv/Master.csv',
  CDR_PASSWORD: 'a\nb',
  STATE_DIR: 'a\0b',
  OUTBOX_KEEP: '1m',
  RECONCILE_EVERY: 'never',
  JOURNAL_KEEP: '1y',
  STANDBY_DELAY_MS: '10s',
  ALERT_AFTER: '2d',
  ALERT_MAIL: 'ops',
  MAIL_FROM: 'pbx',
  ALERT_WEBHOOK: 'http://chat.example.com/x',
  SMTP_URL: [
    'smtp://mail/x',
    'smtp://',
    'mail',
    'http://mail',
    'smtp://a@mail',
    'smtp://a:%@mail',
    'smtp://m?tls=no',
  ],
  LOG_LEVEL: 'loud',
  LOG_FORMAT: 'xml',
  LOG_NUMBERS: 'yes',
  NO_COLOR: '1\n',
};

const secrets = ['AMI_SECRET', 'API_TOKEN', 'CDR_PASSWORD', 'SMTP_URL', 'ALERT_WEBHOOK'];
/** What else must be set for these to be read. */
const beside: Record<string, Environment> = {
  SMTP_URL: { MAIL_FROM: 'a@b' },
  ALERT_MAIL: { SMTP_URL: 'smtp://mail', MAIL_FROM: 'a@b' },
};

describe('invalid values', () => {
  for (const [name, values] of Object.entries(refused))
    test(name, () => {
      for (const value of [values].flat()) {
        const shown = secrets.includes(name)
          ? `an invalid value of ${value.length} characters`
          : JSON.stringify(value);
        const [line = '', ...more] = problemsOf({ [name]: value, ...beside[name] });
        assert.ok(line.startsWith(`${name}: got ${shown}; takes `), line);
        assert.deepEqual(more, []);
      }
    });

  const rows: [Environment, string][] = [
    [{ AMI_USERNAME: '' }, 'AMI_USERNAME: is not set; takes the name of a manager user'],
    ...['AMI_TLS_CA', 'AMI_TLS_SERVERNAME'].map((name): [Environment, string] => [
      { [name]: name === 'AMI_TLS_CA' ? pem : 'pbx' },
      `${name}: is set, but AMI_TLS is off; set AMI_TLS=yes or remove ${name}`,
    ]),
    [
      { REPORT_RULES: 'report called +4930*, ignore caler +49160*, ignore *' },
      'REPORT_RULES: got "ignore caler +49160*"; takes a comma-separated list of rules: report or ignore, then called, caller, extension or channel with a glob, or * for every call, such as report called +493012345*,ignore caller +49160*,ignore channel PJSIP/fax-*,ignore *',
    ],
    [
      { REPORT_RULES: 'ignore *, report caller +4930*' },
      'REPORT_RULES: got "report caller +4930*" behind a rule for every call, where it never decides; move it before, or remove it',
    ],
    [
      { CALL_BACKS: 'yes', REPORT_RULES: 'report called +4930*, ignore *' },
      "CALL_BACKS: got yes, which tells of every phone, though REPORT_RULES ignore other calls; name the extensions of this bridge's people, such as 1*,2001, or * for all phones",
    ],
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
    const named = rows.flatMap(([environment]) => Object.keys(environment));
    assert.deepEqual([...new Set([...Object.keys(refused), ...named])].sort(), all.sort());
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
