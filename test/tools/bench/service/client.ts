import { connect, type Socket } from 'node:net';

export type Load = {
  readonly port: number;
  readonly connections: number;
  /** Requests in all. */
  readonly requests: number;
  /** The bytes of the nth request. */
  request(n: number): string;
};

export type Measured = {
  /** Requests per second. */
  readonly rate: number;
  /** ms from sending a request to the end of its answer. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
};

/** Keeps one request under way on each connection; throws if any answer is not 200. The cheapest client that is right. */
export async function load({ port, connections, requests, request }: Load): Promise<Measured> {
  const times = new Float64Array(requests);
  let sent = 0;
  const began = performance.now();
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect(port, '127.0.0.1');
      socket.setNoDelay(true).setEncoding('latin1');
      let started = 0;
      let index = -1;
      let rest = '';
      const next = () => {
        if (sent >= requests) {
          socket.end();
          resolve();
          return;
        }
        index = sent;
        sent += 1;
        started = performance.now();
        socket.write(request(index));
      };
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('closed without an answer')));
      socket.on('data', (chunk) => {
        rest += chunk;
        const head = rest.indexOf('\r\n\r\n');
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(rest)?.[1]);
        if (rest.length < head + 4 + length) return;
        if (!rest.startsWith('HTTP/1.1 200')) {
          socket.destroy();
          reject(new Error(`not 200: ${rest}`));
          return;
        }
        rest = '';
        times[index] = performance.now() - started;
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - began) / 1000;
  times.sort();
  const at = (share: number) => times[Math.min(requests - 1, Math.floor(requests * share))] ?? 0;
  return { rate: requests / seconds, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** A POST of JSON, as bytes on the wire. */
export function post(path: string, token: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n\r\n`;
}
