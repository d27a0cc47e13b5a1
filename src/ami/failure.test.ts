import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import tls from 'node:tls';
import { freePort } from '../../test/free-port.ts';
import type { MessageCode } from '../log/messages.ts';
import type { AmiFailure } from './failure.ts';
import {
  channelEvent,
  healthyAnswer,
  serveActions,
  startLine,
  startPlayer,
  startServer,
} from './link.fixture.ts';
import type { AmiLinkOptions } from './link.ts';

/** The first failure of a link with these options, and the code that it is logged under. */
async function firstFailure(
  t: TestContext,
  options: Partial<AmiLinkOptions> & { port: number },
): Promise<[AmiFailure | undefined, MessageCode | undefined]> {
  // What is answered before the answer that is missing takes a busy machine a while, too.
  const { link, said, until } = startLine(t, options, { longestMs: 300 });
  // On a slow machine another question may stay without an answer first, which is no failure.
  const reported = () => said.find(({ code }) => !['ami.connected', 'ami.unanswered'].includes(code));
  await until(() => reported() !== undefined);
  link.stop();
  return [link.status().failure, reported()?.code];
}

/** Speaks as Asterisk does, but answers one action with something else. */
function answering(wrong: string, answer: (id: string) => string) {
  return (socket: Socket): void =>
    serveActions(socket, (action, id) => (action === wrong ? answer(id) : healthyAnswer(action, id)));
}

test('nothing listens there', async (t) => {
  const { player, port } = await startPlayer(t, { port: await freePort() });
  await player.close();
  const refused = { kind: 'unreachable', detail: 'ECONNREFUSED' };
  assert.deepEqual(await firstFailure(t, { port }), [refused, 'ami.unreachable']);
});

const answers = (action: string, answer: (id: string) => string = () => '') => answering(action, answer);
const success = (id: string) => `Response: Success\r\nActionID: ${id}\r\n\r\n`;
const rows: [what: string, serve: (socket: Socket) => unknown, more: object, AmiFailure, MessageCode][] = [
  [
    'the handshake never ends',
    () => {},
    { connectDeadlineMs: 30, tls: {} },
    { kind: 'connect-timeout' },
    'ami.unreachable',
  ],
  [
    'something else listens there',
    (socket) => socket.write('SSH-2.0-OpenSSH_9.2p1\r\n'),
    {},
    { kind: 'not-asterisk', detail: 'it says "SSH-2.0-OpenSSH_9.2p1"' },
    'ami.not-asterisk',
  ],
  [
    'something that never ends its first line',
    (socket) => socket.write(Buffer.alloc(1024, 'x')),
    {},
    { kind: 'not-asterisk', detail: `it says "${'x'.repeat(60)}"` },
    'ami.not-asterisk',
  ],
  [
    'something that says nothing',
    () => {},
    { answerDeadlineMs: 30 },
    { kind: 'not-asterisk', detail: 'it says nothing' },
    'ami.not-asterisk',
  ],
  ['something that hangs up', (socket) => socket.end(), {}, { kind: 'lost', detail: 'closed' }, 'ami.lost'],
  [
    'a login that is never answered',
    answers('login'),
    { answerDeadlineMs: 300 },
    { kind: 'silent', detail: 'Login' },
    'ami.silent',
  ],
  [
    'a list that never ends',
    answers('coreshowchannels', success),
    { answerDeadlineMs: 300 },
    { kind: 'silent', detail: 'CoreShowChannels' },
    'ami.silent',
  ],
];
for (const [what, serve, more, failure, code] of rows)
  test(what, async (t) => {
    const port = await startServer(t, serve);
    assert.deepEqual(await firstFailure(t, { port, ...more }), [failure, code]);
  });

for (const [what, player, link, failure, code] of [
  [
    'wrong secret',
    {},
    { secret: 'wrong' },
    { kind: 'login-refused', detail: 'Authentication failed' },
    'ami.login-refused',
  ],
  [
    'no write class reporting',
    { write: [] },
    {},
    { kind: 'no-reporting-class', detail: 'Permission denied' },
    'ami.no-reporting-class',
  ],
] as const)
  test(what, async (t) => {
    const { port } = await startPlayer(t, player);
    assert.deepEqual(await firstFailure(t, { port, ...link }), [failure, code]);
  });

test('no read class call: found when channels come without an event, and reported until events come', async (t) => {
  const read = ['agent'];
  const { player, port } = await startPlayer(t, { read });
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => said.length === 1);
  assert.equal(link.status().state, 'up', 'while nobody calls, nothing is amiss');
  player.send(channelEvent('Newchannel', '1.1'));
  await until(() => said.length === 2);
  assert.equal(said[1]?.code, 'ami.no-call-class');

  await until(() => inputs.length === 2);
  player.send(channelEvent('Newchannel', '1.2'));
  read.push('call');
  await until(() => inputs.length === 3);
  assert.equal(said.length, 2, 'to be connected again is no news as long as no event comes');
  player.send(channelEvent('Newchannel', '1.3'));
  await until(() => said.length === 3);
  assert.equal(said[2]?.code, 'ami.connected');
});

const folder = mkdtempSync(path.join(tmpdir(), 'ami-tls-'));
const file = (name: string): string => path.join(folder, name);
const openssl = (...args: string[]): Buffer =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
const pem = (name: string): string => readFileSync(file(name), 'utf8');

/** A new key, and what its name is to be certified by, or already is. */
function request(name: string, ...result: string[]): void {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', ...kind, '-subj', `/CN=${name}`, '-keyout', file(`${name}.key`), ...result);
}

/** A certificate for a name, signed by the authority, valid for so many days from now; expired for less than 0. */
function certify(name: string, host: string, authority: string, days: number): { cert: string; key: string } {
  writeFileSync(file(`${name}.ext`), `subjectAltName=${host}\n`);
  request(name, '-out', file(`${name}.csr`));
  const signer = ['-CA', file(`${authority}.crt`), '-CAkey', file(`${authority}.key`), '-CAcreateserial'];
  const made = ['-in', file(`${name}.csr`), '-extfile', file(`${name}.ext`), '-out', file(`${name}.crt`)];
  openssl('x509', '-req', ...made, ...signer, '-days', String(days));
  return { cert: pem(`${name}.crt`), key: pem(`${name}.key`) };
}

before(() => {
  for (const name of ['authority', 'stranger'])
    request(name, '-x509', '-days', '2', '-out', file(`${name}.crt`));
});
after(() => rmSync(folder, { recursive: true }));

test('TLS: a server that has a certificate for each name shows the one that was asked for', async (t) => {
  const named = tls.createSecureContext(certify('named', 'DNS:pbx.example', 'authority', 2));
  const { port } = await startPlayer(t, {
    tls: {
      ...certify('other', 'DNS:other.example', 'authority', 2),
      SNICallback: (name, done) => done(null, name === 'pbx.example' ? named : undefined),
    },
  });
  const { said, until } = startLine(t, {
    port,
    tls: { ca: pem('authority.crt'), serverName: 'pbx.example' },
  });
  await until(() => said.length > 0);
  assert.equal(said[0]?.code, 'ami.connected');
});

for (const [what, host, authority, days, check] of [
  ['another name', 'DNS:other.example', 'authority', 2, 'name'],
  ['another address', 'IP:127.0.0.2', 'authority', 2, 'name'],
  ['an authority that we do not know', 'IP:127.0.0.1', 'stranger', 2, 'authority'],
  ['a certificate that has expired', 'IP:127.0.0.1', 'authority', -1, 'dates'],
] as const) {
  test(`TLS: refused for ${what}`, async (t) => {
    const { player, port } = await startPlayer(t, { tls: certify('bad', host, authority, days) });
    const [failure, code] = await firstFailure(t, { port, tls: { ca: pem('authority.crt') } });
    assert.equal(failure?.kind === 'tls' && failure.check, check);
    assert.equal(code, 'ami.tls-refused');
    assert.equal(player.connections(), 0, 'nothing is said over a connection that did not pass');
  });
}
