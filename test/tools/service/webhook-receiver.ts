import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { parseJson } from '../../../src/shared/process/parse-json.ts';
import { until } from '../until.ts';

/** A request that came in, and how the convention's library reads it. */
type Received = {
  readonly id: string;
  readonly type: string;
  /** Of its call; undefined for a test. */
  readonly call: string | undefined;
  readonly data: Record<string, unknown>;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** By which of the receiver's secrets it is verified. */
  readonly verifiedBy: readonly number[];
};

type Reply = (received: Received, response: ServerResponse) => void;

/** A receiver on this machine that verifies with the convention's own library, and answers as `reply` does. */
export async function startReceiver(t: { after(stop: () => Promise<void>): void }, port = 0) {
  const received: Received[] = [];
  const secrets: string[] = [];
  let reply: Reply = (_, response) => response.end('ok');

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    // What a template makes need not be JSON, nor have these.
    const { type = '', data = {} } = (parseJson(body) ?? {}) as {
      type?: string;
      data?: Record<string, unknown>;
    };
    const verifies = (secret: string) => {
      try {
        return new Webhook(secret).verify(body, request.headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    };
    const verifiedBy = secrets.flatMap((secret, n) => (verifies(secret) ? [n] : []));
    const id = `${request.headers['webhook-id']}`;
    const call = data.id as string | undefined;
    const one = { id, type, call, data, body, headers: request.headers, verifiedBy };
    received.push(one);
    reply(one, response);
  }
  const server = createServer((request, response) => void take(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.after(stop);
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    url: `http://127.0.0.1:${own}/hook?key=s3cret`,
    received,
    secrets,
    answer(by: Reply) {
      reply = by;
    },
    /** Resolves when this is true of what has come in. */
    until: (isEnough: (received: readonly Received[]) => boolean) =>
      until(`webhooks: ${isEnough}`, () => isEnough(received), { state: () => namesOf(received) }),
    stop,
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Types and calls, in the order in which they came. */
export const namesOf = (received: readonly Received[]) => received.map(({ type, call }) => `${call} ${type}`);
