import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/shared/process/clock.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { startFakeApi } from '../tools/fakes/fake-api.ts';
import { freePort } from '../tools/free-port.ts';
import { startWire } from '../tools/lab/wire.ts';
import { createPlayer, type PlayerOptions } from '../tools/player/player.ts';
import { runCommand } from '../tools/program/operator.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand, type Stand } from '../tools/program/stand.ts';
import { cli } from '../tools/program-under-test.ts';
import { until } from '../tools/until.ts';

/**
 * Faults made on purpose, each the only one, and the words in which `check`, `status` or `explain` names it to a phone
 * technician: first those that show at once, then those that take a call to show.
 */
const account = { username: 'bridge', secret: 'sesame' } as const;

const endpoints = {
  'PJSIP/1001': 'from-internal',
  'PJSIP/1002': 'from-internal',
  'PJSIP/sipgate': 'from-trunk',
  'MWI:1001@default': '',
  'Queue:sales_avail': '',
};

async function office(t: TestContext, options: Partial<PlayerOptions> = {}) {
  const pbx = createPlayer({
    ...account,
    clock: systemClock,
    contexts: ['default', 'from-internal', 'from-trunk', 'ext-queues'],
    endpoints,
    port: await freePort(),
    ...options,
  });
  const { port } = await pbx.listen();
  const fakeApi = await startFakeApi({ token: 'a-token' });
  t.after(async () => {
    await pbx.close();
    await fakeApi.close();
  });
  const env: Record<string, string> = {
    AMI_PORT: String(port),
    AMI_USERNAME: account.username,
    AMI_SECRET: account.secret,
    API_BASE_URL: fakeApi.baseUrl,
    API_TOKEN: 'a-token',
    STATE_DIR: `${temporaryFolder(t)}/state`,
    AGI_LISTEN: 'off',
    STATUS_LISTEN: 'off',
  };
  return { pbx, fakeApi, env };
}

const check = (env: Readonly<Record<string, string>>, ...args: string[]) =>
  runCommand(['check', ...args], env, {});

/** The lines of a report that say that something is wrong, each with what to do about it. */
function faults(text: string): string[] {
  const findings = text.replace(/\n {6,}(?=\S)/g, ' ').split('\n');
  return findings.filter((line) => /^(FAIL|warn) /.test(line));
}

type Office = Awaited<ReturnType<typeof office>>;
type Fault = {
  readonly make?: (office: Office, t: TestContext) => Promise<void> | void;
  readonly pbx?: Partial<PlayerOptions>;
  readonly says: RegExp;
  readonly code?: number;
  readonly args?: readonly string[];
};

const table: Readonly<Record<string, Fault>> = {
  'wrong secret': {
    make: ({ env }) => {
      env.AMI_SECRET = 'sesam';
    },
    says: /^FAIL Asterisk at .*: login refused \(Authentication failed\) -> Compare AMI_USERNAME and AMI_SECRET/,
  },
  'class reporting missing': {
    pbx: { write: [] },
    says: /^FAIL Asterisk .*lacks write class "reporting".*-> Add write = reporting to the user in manager.conf/,
  },
  'class call missing': {
    make: (office, t) => arrivesDuringCheck(office, t, 'from-trunk'),
    pbx: { read: ['system'] },
    says: /^FAIL call events.*: calls came or went without an event.* -> Add read = call/,
  },
  'more rights than needed': {
    pbx: { write: ['reporting', 'originate', 'command'] },
    says: /^warn permissions of the manager user: more than needed: write class originate \(Originate\), command/,
    code: 0,
  },
  'wrong context': {
    make: ({ env }) => {
      env.INBOUND_CONTEXTS = 'from-outside*';
    },
    says: /^FAIL contexts that INBOUND_CONTEXTS matches: none of the 4 contexts .*trunk: from-trunk \(of PJSIP\/sipgate\)\.$/,
  },
  'trunk not matched': {
    make: ({ env }) => {
      Object.assign(env, { INBOUND_CONTEXTS: ',', INBOUND_CHANNELS: 'PJSIP/my-trunk-*' });
    },
    pbx: { contexts: [] },
    says: /^FAIL trunks that INBOUND_CHANNELS matches: none of the phones and trunks .* This PBX has PJSIP\/sipgate\.$/,
  },
  'a second trunk, in another context': {
    pbx: { endpoints: { ...endpoints, 'PJSIP/second': 'from-second' } },
    says: /^warn trunk PJSIP\/second: its context from-second matches no INBOUND_CONTEXTS.* add from-second to INBOUND_CONTEXTS\.$/,
    code: 0,
  },
  'guests are let in': {
    pbx: { endpoints: { ...endpoints, 'PJSIP/anonymous': 'from-sip-external' } },
    says: /^warn calls of guests, in context from-sip-external: let in by the PBX, and not reported.* add from-sip-external/,
    code: 0,
  },
  'the trunk ignores who withholds a number': {
    pbx: { variables: { 'PJSIP_ENDPOINT(sipgate,trust_id_inbound)': 'false' } },
    says: /^warn withheld numbers: the header .* is ignored on PJSIP\/sipgate -> Set trust_id_inbound=yes/,
    code: 0,
  },
  'a call in a context that is not matched': {
    make: (office, t) => arrivesDuringCheck(office, t, 'from-provider'),
    args: ['--call', '2'],
    says: /^warn call on PJSIP\/sipgate in context from-provider: not reported: not inbound: context from-provider matches no INBOUND_CONTEXTS.*-> If this was a call from outside, add from-provider/,
    code: 0,
  },
  'API address without version': {
    make: ({ env }) => {
      Object.assign(env, { API_BASE_URL: 'https://crm.example.com', ENV_FILE: '/etc/pbx-bridge/bridge.env' });
    },
    says: /^FAIL configuration: API_BASE_URL: got "https:\/\/crm\.example\.com"; takes an .* that ends in \/api\/v1 -> Correct it in \/etc\/pbx-bridge\/bridge\.env\.$/,
    code: 78,
  },
  'wrong token': {
    make: ({ env }) => {
      env.API_TOKEN = 'another-token';
    },
    says: /^FAIL the token: refused \(HTTP 401\) -> Copy the token again from the Integrations section/,
  },
  'the API is not there': {
    // A port of its own that is closed could be the next one that is given out; this one never is.
    make: ({ env }) => {
      env.API_BASE_URL = 'http://127.0.0.1:2/api/v1';
    },
    says: /^FAIL the API at .*: connection refused .* -> Check that API_BASE_URL is correct/,
  },
  'another page there': {
    make: ({ fakeApi }) => fakeApi.inject(() => ({ kind: 'html' })),
    says: /^FAIL the API at .*: HTTP 200, but not the API's JSON \(a web page\?\) -> Check API_BASE_URL/,
  },
  'clock an hour off': {
    pbx: { clock: { ...systemClock, now: () => Date.now() + 3_600_000 } },
    says: /^warn clocks of the PBX and of this machine: the clock of the PBX is 60 min ahead -> Synchronise both/,
    code: 0,
  },
  'port taken': {
    make: async ({ env }, t) => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.after(() => server.close());
      const { port } = server.address() as { port: number };
      env.AGI_LISTEN = `127.0.0.1:${port}`;
    },
    says: /^FAIL AGI_LISTEN 127\.0\.0\.1:\d+: in use by another program: .*node \S+ \(process \d+\) -> Set AGI_LISTEN to a free port/,
  },
  "Asterisk's call records not there": {
    make: ({ env }) => {
      env.CDR_SOURCE = 'csv:/nowhere/Master.csv';
    },
    says: /^warn Asterisk's call records in \/nowhere\/Master\.csv: not there yet, or empty -> Asterisk creates it with the first call/,
    code: 0,
  },
  'Asterisk down': {
    make: ({ pbx }) => pbx.crash(),
    says: /^FAIL Asterisk at .*: nothing answers there \(ECONNREFUSED\) -> Check that Asterisk is running/,
  },
};

/** A call comes in while `check` listens: after it has read the channels, and before it reads them again. */
async function arrivesDuringCheck({ pbx, env }: Office, t: TestContext, context: string): Promise<void> {
  const wire = await startWire({
    port: 0,
    target: Number(env.AMI_PORT),
    rewrite(text) {
      // It asks for one thing after the other.
      if (/^Action: ListCommands\r$/im.test(text)) pbx.send(newchannel(context));
      return text;
    },
  });
  t.after(wire.close);
  env.AMI_PORT = String(wire.port);
}

function newchannel(context: string): string {
  return amiEvent('Newchannel', {
    Channel: 'PJSIP/sipgate-00000001',
    CallerIDNum: '+4940123456',
    Context: context,
    Uniqueid: '1.1',
    Linkedid: '1.1',
  });
}

describe('check names each fault, and nothing else', () => {
  for (const [name, { make, pbx, says, code = 2, args = [] }] of Object.entries(table))
    test(name, async (t) => {
      const it = await office(t, pbx);
      await make?.(it, t);
      const ran = await check(it.env, ...args);
      const found = faults(ran.text);
      assert.equal(found.length, 1, ran.text);
      assert.match((found[0] ?? '').replace(/^(FAIL|warn) +/, '$1 '), says);
      assert.equal(ran.code, code);
    });

  test('no fault', async (t) => {
    const { env, fakeApi } = await office(t);
    const ran = await check(env);
    assert.deepEqual(faults(ran.text), []);
    assert.match(ran.text, /All checks passed\.\n$/);
    assert.equal(ran.code, 0);
    assert.deepEqual(
      fakeApi.requests().map(({ method }) => method),
      ['GET'],
      'nothing was changed at the API',
    );
  });

  test('full disk', (t) => {
    const script = 'mkdir -p "$1" && mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@"';
    const folder = temporaryFolder(t);
    const inside = ['unshare', '-rm', 'sh', '-c', script, 'sh', `${folder}/state`] as const;
    try {
      execFileSync(inside[0], [...inside.slice(1), 'true'], { stdio: 'pipe' });
    } catch {
      t.skip('this machine does not let users mount a small disk (unshare -rm)');
      return;
    }
    const env = {
      PATH: process.env.PATH,
      STATE_DIR: `${folder}/state`,
      AMI_PORT: '1',
      AMI_USERNAME: 'x',
      AMI_SECRET: 'x',
      API_BASE_URL: 'http://127.0.0.1:1/api/v1',
      API_TOKEN: 'x',
      AGI_LISTEN: 'off',
      STATUS_LISTEN: 'off',
    };
    const command = [...inside.slice(1), process.execPath, cli, 'check'];
    const ran = runAnyway(inside[0], command, { env, cwd: folder });
    assert.match(
      ran.replace(/\n +/g, ' '),
      /^FAIL {2}state directory .*: the disk is full: \d MB free -> Free space/m,
    );
  });
});

const rings = (number: string) =>
  newchannel('from-trunk').replace('+4940123456', number).replaceAll('1.1', '1763600000.1');
const hangsUp = amiEvent('Hangup', {
  Channel: 'PJSIP/sipgate-00000001',
  Uniqueid: '1763600000.1',
  Linkedid: '1763600000.1',
});

type ShownByCall = {
  /** What the API does with a call from this number, and the number. */
  readonly fakeApi?: (stand: Stand) => void;
  readonly number?: string;
  /** Settings of the client that asks. */
  readonly asks?: (t: TestContext) => Promise<Record<string, string>>;
  readonly says: readonly (readonly [command: readonly string[], words: RegExp])[];
};

const shownByCalls: Readonly<Record<string, ShownByCall>> = {
  'token of another account': {
    asks: async (t) => {
      const other = await startFakeApi({ token: 'a-token' });
      t.after(() => other.close());
      return { API_BASE_URL: other.baseUrl };
    },
    says: [
      [
        ['check'],
        /^FAIL +last delivered call .*: pbx-\S+ not found, although it was delivered -> Check that API_TOKEN is of the right account/m,
      ],
      [
        ['explain', '1763600000.1'],
        /^NOT REPORTED: .*its request history does not contain it\. Check that API_TOKEN is of the right account/m,
      ],
      [['explain', '1763600000.1', '--offline'], /^REPORTED: ringing, completed; the API confirmed each$/m],
    ],
  },
  'dead letter': {
    fakeApi: ({ fakeApi }) =>
      fakeApi.inject(({ path }) =>
        path === '/voice/call'
          ? { kind: 'status', status: 422, body: '{"message":"from is no number"}' }
          : undefined,
      ),
    says: [
      [
        ['explain', '1763600000.1'],
        /^DEAD LETTER: .* not delivered: .*422.*"from is no number".*run pbx-bridge outbox retry/m,
      ],
      [['status'], /^! queue .* DEAD LETTERS? \(pbx-bridge outbox list\)/m],
    ],
  },
  'call withheld': {
    number: 'anonymous',
    says: [
      [
        ['explain', '1763600000.1'],
        /^NOT REPORTED: the caller withholds the number, and WITHHELD_NUMBER is not set$/m,
      ],
      [['status'], /; 1 not reported \(no number, or withheld: see WITHHELD_NUMBER\)$/m],
    ],
  },
};

describe('check, status or explain names what takes a call to show', () => {
  for (const [name, { fakeApi, number = '+4940123456', asks, says }] of Object.entries(shownByCalls))
    test(name, async (t) => {
      const stand = await createStand(t, { STATUS_LISTEN: '127.0.0.1:0' });
      await stand.start();
      fakeApi?.(stand);
      for (const frame of [rings(number), hangsUp]) stand.pbx.send(frame);
      await stand.caughtUp();
      const env = {
        ...stand.env,
        STATUS_LISTEN: `127.0.0.1:${stand.statusPort()}`,
        ...(await asks?.(t)),
      };
      for (const [command, words] of says) {
        const shown = async () => (await runCommand(command, env)).text.replace(/\n +(?=\S)/g, ' ');
        await until(`${command} to say ${words}`, async () => words.test(await shown()), { state: shown });
      }
    });
});

function runAnyway(file: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd: string }) {
  try {
    return execFileSync(file, args, { ...options, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
