import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { withoutIpv6 } from '../../../test/tools/ipv6.ts';
import { until } from '../../../test/tools/until.ts';
import type { Log } from '../../shared/log/log.ts';
import { createTestClock } from '../../shared/process/test-clock.fixture.ts';
import { askAgi, closeOf, openTo } from './agi-client.fixture.ts';
import { requestText } from './agi-request.fixture.ts';
import { type AgiServerOptions, type Answerer, createAgiServer } from './agi-server.ts';

const commands = ['SET VARIABLE A 1', 'SET VARIABLE B 2'];

/** A server on a free port, whose time stands still. */
async function serverFor(
  t: TestContext,
  { answer = () => commands, ...options }: Partial<AgiServerOptions> & { answer?: Answerer } = {},
) {
  const clock = createTestClock();
  const said: string[] = [];
  const seen = new Map<string, () => void>();
  let port = 0;
  const log: Log = {
    say(code, fields) {
      said.push(code);
      if (code === 'agi.listening') port = Number(fields?.port);
      seen.get(code)?.();
    },
    child: () => log,
  };
  const server = createAgiServer(
    { host: '127.0.0.1', port: 0, allow: ['127.0.0.1'], deadlineMs: 500, ...options },
    { answer, clock, log },
  );
  await server.start();
  t.after(async () => {
    clock.advance(60_000);
    await server.stop();
  });
  const saying = (code: string) => new Promise<void>((resolve) => seen.set(code, resolve));
  return { port: () => port, clock, said, saying, server };
}

test('a session, from its lines to its end', async (t) => {
  const asked: [string, number][] = [];
  const answer: Answerer = ({ script, number }, waitMs) => {
    asked.push([`${script} ${number}`, waitMs]);
    return commands;
  };
  const { port, clock, server } = await serverFor(t, { answer });
  assert.deepEqual((await askAgi(port())).commands, commands);
  assert.deepEqual(
    asked,
    [['priority +4940669690101', 375]],
    'of 500 ms, a quarter is kept for the commands',
  );
  await server.stop();
  assert.equal(clock.timers(), 0, 'no timer outlives its session');
});

test('a connection that the system does not accept is logged, and the next one is served', async (t) => {
  const channel = 'tracing:net.server.listen:asyncStart';
  let listening: Server | undefined;
  const remember = (message: unknown) => {
    listening = (message as { server: Server }).server;
  };
  subscribe(channel, remember);
  const { port, said } = await serverFor(t);
  unsubscribe(channel, remember);
  // As Node does when no file descriptor is left for the connection.
  listening?.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  assert.equal(said.at(-1), 'agi.not-accepted');
  assert.deepEqual((await askAgi(port())).commands, commands);
});

/** Sessions begin when the server has seen them, which is after their clients have. */
async function untilTimers(clock: { timers(): number }, count: number): Promise<void> {
  await until(`${count} sessions`, () => clock.timers() >= count, { state: () => clock.timers() });
}

test('at the deadline the session ends, whatever it waits for', async (t) => {
  const never = new Promise<never>(() => {});
  const { port, clock, said } = await serverFor(t, {
    answer: ({ script }) => (script === 'slow' ? never : commands),
  });
  const lines = {
    'its first byte': '',
    'the rest of a line': 'agi_net',
    'the empty line': requestText().slice(0, -1),
    'the answer': requestText({ agi_network_script: 'slow' }),
    'a reply': requestText(),
  };
  const sockets = await Promise.all(
    Object.values(lines).map(async (text) => {
      const socket = await openTo(port());
      if (text !== '') socket.write(text);
      return socket;
    }),
  );
  await untilTimers(clock, sockets.length);
  const ended = Promise.all(sockets.map(closeOf));
  clock.advance(499);
  await new Promise(setImmediate);
  assert.ok(sockets.every((socket) => !socket.closed));
  clock.advance(1);
  await ended;
  assert.deepEqual(said, ['agi.listening', 'agi.cut-off']);
});

test('too many connections are closed and logged', async (t) => {
  const { port, clock, saying } = await serverFor(t);
  const word = saying('agi.too-many-connections');
  const sockets = await Promise.all(Array.from({ length: 2_060 }, () => openTo(port())));
  await word;
  assert.ok(clock.timers() <= 2_048);
  const isOver = () => {
    clock.advance(500);
    return sockets.every((socket) => socket.closed);
  };
  await until('the end of all connections', isOver, { everyMs: 1 });
  assert.deepEqual((await askAgi(port())).commands, commands);
});

test('an address that is not allowed is disconnected before a byte is read', async (t) => {
  const { port, said } = await serverFor(t, {
    allow: ['10.0.0.0/8'],
    answer: () => assert.fail('was asked'),
  });
  assert.deepEqual((await askAgi(port())).commands, []);
  assert.deepEqual(said, ['agi.listening', 'agi.address-refused']);
});

test('an IPv4 client of an IPv6 socket is known by its IPv4 address', { skip: withoutIpv6() }, async (t) => {
  const { port } = await serverFor(t, { host: '::', allow: ['127.0.0.1'] });
  assert.deepEqual((await askAgi(port())).commands, commands);
  assert.deepEqual((await askAgi(port(), { host: '::1' })).commands, []);
});

test('resets and early closes at any moment are harmless', async (t) => {
  const { port } = await serverFor(t, { answer: async () => commands });
  const text = requestText();
  for (const sent of ['', 'agi_', text.slice(0, 100), text, `${text}200 result=1\n`]) {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const socket = await openTo(port());
      socket.write(sent);
      socket[end]();
      await closeOf(socket);
    }
  }
  assert.deepEqual((await askAgi(port())).commands, commands);
});

test('refused commands are skipped and logged', async (t) => {
  const { port, said } = await serverFor(t);
  const refusing = await askAgi(port(), { reply: () => '510 Invalid or unknown command\n' });
  assert.deepEqual(refusing.commands, commands);
  assert.deepEqual(said, ['agi.listening', 'agi.command-refused']);
});

test('a port in use is retried until it is free', async (t) => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port: taken } = other.address() as { port: number };
  const { clock, said, saying } = await serverFor(t, { port: taken });
  assert.deepEqual(said, ['agi.not-listening']);
  other.close();
  await once(other, 'close');
  const listening = saying('agi.listening');
  clock.advance(5_000);
  await listening;
  assert.deepEqual((await askAgi(taken)).commands, commands);
});

for (const { host, skip } of [{ host: '127.0.0.1' }, { host: '::', skip: withoutIpv6() }])
  test(`a second bridge is not let in on the port of another one, ${host}`, { skip }, async (t) => {
    const { port } = await serverFor(t, { host });
    const second = await serverFor(t, { host, port: port() });
    assert.deepEqual(second.said, ['agi.not-listening']);
    assert.equal(second.server.isListening(), false);
  });

test('connections that wait are accepted together, not one in each turn of the event loop', async (t) => {
  const { port, clock } = await serverFor(t);
  const waiting = 64;
  const sockets = Array.from({ length: waiting }, () => connect(port(), '127.0.0.1').on('error', () => {}));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  let turns = 0;
  for (; clock.timers() < waiting; turns += 1) await new Promise(setImmediate);
  assert.ok(turns < waiting / 2, `${turns} turns`);
});

test('stop waits for open sessions and accepts no new ones', async (t) => {
  const answered = Promise.withResolvers<readonly string[]>();
  const asked = Promise.withResolvers<void>();
  const { port, server } = await serverFor(t, {
    answer() {
      asked.resolve();
      return answered.promise;
    },
  });
  const session = askAgi(port());
  await asked.promise;
  const stopped = server.stop();
  await assert.rejects(openTo(port()), /ECONNREFUSED/);
  answered.resolve(commands);
  assert.deepEqual((await session).commands, commands);
  await stopped;
});
