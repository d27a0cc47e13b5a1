import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../../test/tools/until.ts';

/** A web server on a free port of this machine that takes JSON, or answers `answer.status`. */
export async function startWebhookReceiver() {
  const received: unknown[] = [];
  const answer: { status: number; location?: string } = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (answer.status < 300) received.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook/secret`,
    received,
    answer,
    /** Resolves when this number has arrived in all. */
    async has(count: number): Promise<void> {
      await until(`${count} notices`, () => received.length >= count, { state: () => received });
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
