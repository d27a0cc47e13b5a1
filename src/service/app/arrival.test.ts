import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { closeStalled } from './arrival.ts';

/** A server with short timeouts, whose answer to /work comes after its connection has been silent for too long. */
async function serve(t: TestContext): Promise<string> {
  const app = Fastify({ connectionTimeout: 50 });
  closeStalled(app);
  app.post('/work', async ({ raw }) => {
    await once(raw.socket, 'timeout');
    return 'done';
  });
  app.get('/begun', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('begun');
  });
  t.after(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

test('a request that is worked on for longer than a connection may be silent is answered', async (t) => {
  const answer = await fetch(`${await serve(t)}/work`, { method: 'POST', body: 'all of it' });
  assert.equal(await answer.text(), 'done');
});

for (const [what, head] of [
  [
    'a body that stops in the middle',
    'POST /work HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\npart',
  ],
  ['an answer that stops in the middle', 'GET /begun HTTP/1.1\r\nHost: x\r\n\r\n'],
] as const)
  test(`${what} ends its connection`, async (t) => {
    const socket = connect(Number(new URL(await serve(t)).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.resume().write(head);
    await once(socket, 'close');
  });
