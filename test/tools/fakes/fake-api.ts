import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bridgeCallBacksPath } from '../../../src/shared/api/contract/bridge-call-backs.ts';
import { longestWaitMs } from '../until.ts';
import { type BookCounts, createBook, type HeldCall, type Payload } from './fake-api-book.ts';
import { answerWrongly, type FaultScript, isApplied, type SeenRequest } from './fake-api-faults.ts';
import { type HistoryEntry, queryHistory } from './fake-api-history.ts';

/**
 * A fake of the Call Integration API: its real rule (forward only, out of order answered 200 and silently
 * discarded) in memory, over real HTTP, with faults on demand. What it discards it counts, so that a wrong order
 * shows up as missing data.
 */
export type FakeApi = {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** What it holds, by call id. */
  calls(): ReadonlyMap<string, HeldCall>;
  counts(): FakeApiCounts;
  /** The requests seen, oldest first, as many as it keeps. */
  requests(): readonly SeenRequest[];
  history(): readonly HistoryEntry[];
  /** Sets what goes wrong from the next request on; undefined: nothing. */
  inject(script: FaultScript | undefined): void;
  /** Resolves when the predicate holds (looked at after every request, and less often if that takes long); rejects after `timeoutMs` (3 minutes: for a busy machine) saying what is held. */
  waitFor(predicate: (fakeApi: FakeApi) => boolean, timeoutMs?: number): Promise<void>;
  /** Cuts every connection and gives the port back; what it held can still be read. */
  close(): Promise<void>;
  /** Listens again where it did before `close`, with all that it held. */
  reopen(): Promise<void>;
};

type FakeApiCounts = Readonly<BookCounts> & {
  readonly requests: number;
  readonly unauthorized: number;
  readonly connections: number;
  /** Most requests that were unanswered at the same time. */
  readonly mostInFlight: number;
};

export type FakeApiOptions = {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly token: string;
  /** The priority of a caller's number; absent: not found. */
  readonly priorityOf?: (number: string) => unknown;
  /** The name of a caller's number; absent: the answer has none. */
  readonly nameOf?: (number: string) => unknown;
  /** Further members of the answer about a number. */
  readonly factsOf?: (number: string) => object;
  /** The numbers that wait for a call back, for a bridge that asks (CALL_BACKS). */
  readonly waiting?: readonly string[];
  /** How many requests and history entries are kept, the newest; absent: 100,000 requests, the whole history. */
  readonly keeps?: number;
};

const base = '/api/v1';
export async function startFakeApi(options: FakeApiOptions): Promise<FakeApi> {
  const { keeps } = options;
  const keptRequests = keeps ?? 100_000;
  const book = createBook();
  const history: HistoryEntry[] = [];
  let recorded = 0;
  const requests: SeenRequest[] = [];
  const watchers = new Set<() => void>();
  const counters = { requests: 0, unauthorized: 0, connections: 0, mostInFlight: 0 };
  let script: FaultScript | undefined;
  let inFlight = 0;

  function answerCall(payload: Payload, apply: boolean): { status: number; body: string } {
    const errors = book.check(payload);
    if (Object.keys(errors).length > 0) {
      return { status: 422, body: JSON.stringify({ message: 'The given data was invalid.', errors }) };
    }
    if (apply) book.apply(payload, Date.now());
    return { status: 200, body: JSON.stringify({ result: randomBytes(36).toString('base64url') }) };
  }

  function answerPriority(number: string): string {
    const { priorityOf, nameOf, factsOf } = options;
    return JSON.stringify({
      priority: priorityOf?.(number) ?? null,
      name: nameOf?.(number),
      ...factsOf?.(number),
    });
  }

  function answer(request: IncomingMessage, response: ServerResponse, raw: string): void {
    const url = new URL(request.url ?? '/', 'http://fake-api');
    const started = performance.now();
    const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : url.pathname;
    const payload = request.method === 'POST' ? parseObject(raw) : Object.fromEntries(url.searchParams);
    const authorized = request.headers.authorization === `Bearer ${options.token}`;
    const method = request.method ?? '';
    const seen = { nth: ++counters.requests, at: Date.now(), method, path, authorized, payload };
    if (requests.push(seen) > keptRequests * 2) requests.splice(0, keptRequests);

    const fault = script?.(seen);
    if (!authorized && !fault) {
      refuse(request, response);
      return;
    }
    const isCall = path === '/voice/call' && (method === 'POST' || method === 'GET');
    const right = isCall
      ? answerCall(payload, isApplied(fault))
      : path === '/voice' && method === 'GET'
        ? {
            status: 200,
            body: JSON.stringify(queryHistory(history, url.searchParams, url.origin + base + path)),
          }
        : path === '/voice/priority' && method === 'GET'
          ? { status: 200, body: answerPriority(String(payload.number)) }
          : method === 'GET' && path === bridgeCallBacksPath && options.waiting !== undefined
            ? { status: 200, body: JSON.stringify({ version: 'all', numbers: options.waiting }) }
            : method === 'POST' && path.startsWith('/bridge/') // as our own service takes it
              ? { status: 200, body: '{}' }
              : { status: 404, body: JSON.stringify({ message: 'Not Found.' }) };
    if (isCall && isApplied(fault)) {
      history.push({
        id: ++recorded,
        request: method === 'POST' ? raw : JSON.stringify(payload),
        response: right.body,
        status: right.status,
        duration: performance.now() - started,
        created_at: new Date(seen.at).toISOString(),
      });
      if (keeps !== undefined && history.length > keeps * 2) history.splice(0, keeps);
    }
    if (fault) {
      answerWrongly(fault, request, response, right.body);
      return;
    }
    response.writeHead(right.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(right.body),
    });
    response.end(right.body);
  }

  function refuse(request: IncomingMessage, response: ServerResponse): void {
    counters.unauthorized++;
    if (request.headers.accept?.includes('application/json')) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Unauthenticated."}');
    } else response.writeHead(302, { location: '/login' }).end();
  }

  const server = createServer((request, response) => {
    counters.mostInFlight = Math.max(counters.mostInFlight, ++inFlight);
    response.once('close', () => {
      inFlight--;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      answer(request, response, Buffer.concat(chunks).toString());
      for (const look of watchers) look();
    });
  });
  server.on('connection', () => counters.connections++);
  // As nginx has it. With Node's 5 s, a machine that is busy for so long ends connections that have a request on them.
  server.keepAliveTimeout = 75_000;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const fakeApi: FakeApi = {
    baseUrl: `http://127.0.0.1:${port}${base}`,
    port,
    calls: () => book.calls,
    counts: () => ({ ...book.counts, ...counters }),
    requests: () => requests,
    history: () => history,
    inject(next) {
      script = next;
    },
    waitFor(predicate, timeoutMs = longestWaitMs) {
      return new Promise((resolve, reject) => {
        let pause: NodeJS.Timeout | undefined;
        const stop = () => {
          clearTimeout(timer);
          clearTimeout(pause);
          watchers.delete(look);
        };
        // What takes long to see is looked at less often: else a flood of requests is answered by nobody.
        const look = () => {
          const began = performance.now();
          if (predicate(fakeApi)) {
            stop();
            resolve();
            return;
          }
          const took = performance.now() - began;
          if (took < 1) return;
          watchers.delete(look);
          pause = setTimeout(() => {
            watchers.add(look);
            look();
          }, 10 * took);
        };
        const timer = setTimeout(() => {
          stop();
          const held = [...book.calls.values()].slice(0, 20);
          reject(new Error(`not so after ${timeoutMs} ms: ${JSON.stringify({ ...fakeApi.counts(), held })}`));
        }, timeoutMs);
        watchers.add(look);
        look();
      });
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async reopen() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
  return fakeApi;
}

function parseObject(raw: string): Payload {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {};
  } catch {
    return {};
  }
}
