import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import type { LogFields } from '../../src/log/log.ts';
import { browse } from './people.ts';
import { type Answer, event, serve } from './service-harness.ts';

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

function clear(answer: Answer, what: string): void {
  assert.ok(answer.status < 500, `${what}: ${answer.status}`);
  assert.ok(answer.json !== undefined, `${what}: ${answer.text}`);
  assert.doesNotMatch(answer.text, /node_modules|\.ts:|at .*\(|SQLITE|ECONN/, what);
}

test('bodies that are no JSON object in UTF-8', async (t) => {
  const { kept, log } = faults();
  const { a, ask } = await serve(t, {}, log);
  const good = JSON.stringify(event());
  const bodies: [string, string | Buffer, number][] = [
    ['nothing', '', 422],
    ['cut off', good.slice(0, -5), 400],
    ['with more behind it', `${good}x`, 400],
    ['UTF-16', Buffer.from(good, 'utf16le'), 400],
    ['Latin-1', Buffer.from(good.replace('pbx', 'pbé'), 'latin1'), 400],
    ['with a byte order mark', `\ufeff${good}`, 200],
    ['20,000 arrays deep', '['.repeat(20_000), 400],
    ['20,000 objects deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 422],
    ['10 MB', Buffer.alloc(10_000_000, 0x20), 413],
    ['binary', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 400],
    ['gzip', Buffer.from('1f8b0800000000000003abae050043bfa6a302000000', 'hex'), 400],
  ];
  for (const [what, body, status] of bodies) {
    const answer = await ask('/voice/call', { token: a.token, method: 'POST', body });
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    clear(answer, what);
    const stranger = await ask('/voice/call', { method: 'POST', body });
    assert.equal(stranger.status, 401, `${what}, from a stranger`);
  }
  assert.deepEqual(kept, []);
});

test('customers: nothing unreadable is kept, and no field makes a fault', async (t) => {
  const { kept, log } = faults();
  const served = await serve(t, {}, log);
  const { send, read } = await browse(served, 'Ann');
  const save = async (fields: Record<string, string>) =>
    (await send('/customers/save', { numbers: '', segment: '', ...fields })).status;
  for (const name of ['a\0b', '\x1b[2J', 'Ren\ufffd']) {
    assert.equal(await save({ name }), 422, name);
    assert.equal(await save({ name: 'Ann', reference: name }), 422, name);
    assert.equal(await save({ name: 'Ann', before: name }), 404, name);
  }
  assert.equal(await save({ name: 'Zoe\u0308  M', reference: 'z' }), 303);
  assert.match((await read('/customers/export')).text, /^z,Zoë M,/m);
  assert.deepEqual(kept, []);
});

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

test('1,000 idle connections hold nobody up', async (t) => {
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
