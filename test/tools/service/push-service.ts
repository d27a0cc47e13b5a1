import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../until.ts';

/** A message, as the browser reads it, and what the push service sees of it. */
type PushedMessage = {
  readonly browser: string;
  readonly message: unknown;
  readonly headers: IncomingMessage['headers'];
  /** The claims of the VAPID token (RFC 8292), if its signature is that of the key beside it. */
  readonly claims: { aud?: string; exp?: number; sub?: string } | undefined;
  readonly key: string | undefined;
};

/** Reads what was encrypted for a browser (RFC 8188, RFC 8291): one record, with the sender's public key as its key id. */
export function decryptPush(body: Buffer, own: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const length = body[20] ?? 0;
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const derive = (from: Buffer, by: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', from, by, info, bytes));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
  const secret = derive(own.computeSecret(sender), auth, info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // A 2 ends the last record; zeros may follow.
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

/** What the Authorization header of a push message says. */
function readVapid(header = ''): Pick<PushedMessage, 'claims' | 'key'> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65) return { claims: undefined, key: undefined };
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const publicKey = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) },
    format: 'jwk',
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
  return { claims: isSigned && read(head).alg === 'ES256' ? read(claims) : undefined, key };
}

/** A push service on this machine, with the browsers that are subscribed to it. Answers 201, or as `answers` says for a browser. */
export async function startPushService(t: { after(stop: () => Promise<void>): void }) {
  const browsers = new Map<string, { own: ECDH; auth: Buffer }>();
  const received: PushedMessage[] = [];
  const answers = new Map<string, number>();

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const browser = (request.url ?? '').slice(1);
    const keys = browsers.get(browser);
    const status = keys === undefined ? 404 : (answers.get(browser) ?? 201);
    if (keys !== undefined && status < 300)
      received.push({
        browser,
        message: JSON.parse(decryptPush(Buffer.concat(chunks), keys.own, keys.auth)),
        headers: request.headers,
        ...readVapid(request.headers.authorization),
      });
    response.writeHead(status).end();
  }
  const server = createServer(
    (request, response) => void take(request, response).catch(() => response.destroy()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    answers,
    /** What a browser of this name gives to the page that subscribes it. */
    subscribe(browser: string): { endpoint: string; publicKey: string; auth: string } {
      const own = createECDH('prime256v1');
      const publicKey = own.generateKeys('base64url');
      const auth = randomBytes(16);
      browsers.set(browser, { own, auth });
      return { endpoint: `${origin}/${browser}`, publicKey, auth: auth.toString('base64url') };
    },
    /** Resolves when this number of messages has arrived in all. */
    async has(count: number): Promise<readonly PushedMessage[]> {
      await until(`${count} push messages`, () => received.length >= count, { state: () => received });
      return received;
    },
  };
}
