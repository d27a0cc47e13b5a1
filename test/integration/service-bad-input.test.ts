import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import type { LogFields } from '../../src/shared/log/log.ts';
import { event, serve } from '../tools/service/harness.ts';

/** What users, broken clients and strangers send: always one clear answer, never a 500, never a stack. */

/** A log that keeps the faults of the service. */
function faults() {
  const kept: LogFields[] = [];
  const log = {
    say: (code: string, fields: LogFields = {}) => void (code === 'service.failed' && kept.push(fields)),
    child: () => log,
  };
  return { kept, log };
}

test('a slow body is answered 408, a broken request 400, and neither stops the others', async (t) => {
  const { a, ask, url } = await serve(t, { requestTimeoutMs: 1_500 });
  const head = `POST /api/v1/voice/call HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${a.token}\r\n`;
  const slow = await open(url);
  slow.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id"`);
  const strange: [string, RegExp][] = [
    ['\x16\x03\x01\x02\x00\x01\x00', /^HTTP\/1\.1 400 /], // a TLS client
    ['GET / HTTP/9.9\r\n\r\n', /^HTTP\/1\.1 (400|505) /],
    [`${head}Content-Length: -5\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [`${head}X-Long: ${'x'.repeat(100_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    [
      `GET /api/v1/voice/%ZZ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${a.token}\r\n\r\n`,
      /^HTTP\/1\.1 404 /,
    ],
  ];
  for (const [bytes, expected] of strange) {
    const socket = await open(url);
    socket.write(bytes, 'latin1');
    assert.match(await answerOf(socket), expected, JSON.stringify(bytes.slice(0, 60)));
  }
  assert.match(await answerOf(slow), /^HTTP\/1\.1 408 /);
  assert.equal((await ask('/voice?limit=1', a)).status, 200);
});

test('1,000 idle connections delay no other requests', async (t) => {
  const { a, post, url } = await serve(t);
  const idle = await Promise.all(Array.from({ length: 1000 }, () => open(url)));
  t.after(() => {
    for (const socket of idle) socket.destroy();
  });
  assert.equal((await post(a.token, event())).status, 200);
});

test('a client that goes away in the middle of anything takes nothing with it', async (t) => {
  const { kept, log } = faults();
  const { a, ask, post, url, history } = await serve(t, {}, log);
  const events = Array.from({ length: 1500 }, (_, n) => event({ id: `${n}`, note: 'x'.repeat(500) }));
  await Promise.all(events.map((body) => post(a.token, body)));
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${a.token}\r\n`;
  for (const bytes of [
    `GET /api/v1/voice ${head}\r\n`,
    `GET /events ${head}\r\n`,
    `POST /api/v1/voice/call ${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  ]) {
    const socket = await open(url);
    socket.write(bytes);
    if (bytes.startsWith('GET')) await new Promise((resolve) => socket.once('data', resolve));
    socket.resetAndDestroy();
  }
  assert.equal((await ask('/voice?limit=1', a)).status, 200);
  assert.ok((await history(a.token)).length >= 1500);
  assert.deepEqual(kept, []);
});

function open(url: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

/** The first bytes that the service answers. */
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\r\n\r\n')) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
}
