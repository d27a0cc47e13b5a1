import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createCertificate } from '../../../test/tools/certificate.ts';
import { freePort } from '../../../test/tools/free-port.ts';
import type { MessageCode } from '../../shared/log/messages.ts';
import { messages } from '../../shared/log/messages.ts';
import { type AmiFailure, describeFailure } from './failure.ts';
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
  assert.equal(link.status().state, 'up', 'without calls, nothing is wrong');
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

test('TLS: nothing is said to a server whose certificate is for another name or of another authority', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ami-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [own, other] = [
    await createCertificate(folder, 'other.example'),
    await createCertificate(folder, '127.0.0.1'),
  ];
  const pem = (file: string): string => readFileSync(file, 'utf8');
  const { player, port } = await startPlayer(t, { tls: { key: pem(own.key), cert: pem(own.cert) } });
  for (const [{ cert }, check] of [
    [own, 'name'],
    [other, 'authority'],
  ] as const) {
    const [failure, code] = await firstFailure(t, { port, tls: { ca: pem(cert) } });
    assert.equal(failure?.kind === 'tls' && failure.check, check);
    assert.equal(code, 'ami.tls-refused');
    assert.equal(player.connections(), 0);
  }
});

test('a manager user that may be logged in only once is no wrong secret', () => {
  const of = (detail: string) => describeFailure({ kind: 'login-refused', detail });
  assert.equal(
    of('Login Already In Use'),
    'login refused (Login Already In Use: manager.conf has allowmultiplelogin = no, and another program is logged in as this user)',
  );
  assert.equal(of('Authentication failed'), 'login refused (Authentication failed)');
  assert.match(
    messages['ami.login-refused'].todo ?? '',
    /If Asterisk says Login Already In Use, they are right: set allowmultiplelogin = yes/,
  );
});
