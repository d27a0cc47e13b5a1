import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import Fastify, { type FastifyRequest } from 'fastify';
import { closeStalled } from './arrival.ts';

/** A server whose connections may be silent only for a moment: from when a test has got where it wants to be. */
async function serve(t: TestContext): Promise<string> {
  const app = Fastify();
  closeStalled(app);
  const beSilentNoLonger = ({ raw: { socket } }: FastifyRequest) => socket.setTimeout(50);
  app.post('/work', async (request) => {
    beSilentNoLonger(request);
    await once(request.raw.socket, 'timeout');
    return 'done';
  });
  app.post('/stalled', { onRequest: async (request) => void beSilentNoLonger(request) }, async () => 'read');
  app.get('/begun', (request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('begun');
    beSilentNoLonger(request);
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
    'POST /stalled HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\npart',
  ],
  ['an answer that stops in the middle', 'GET /begun HTTP/1.1\r\nHost: x\r\n\r\n'],
] as const)
  test(`${what} ends its connection`, async (t) => {
    const socket = connect(Number(new URL(await serve(t)).port), '127.0.0.1');
    socket.on('error', () => {}); // a reset, if it was closed with something unread
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(head);
    await closed;
  });
