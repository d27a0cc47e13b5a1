import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Payload } from './fake-api-book.ts';

/** What goes wrong with one request. The event is applied before the answer goes wrong only where it says so. */
export type Fault =
  /** This status (and headers, body) instead of an answer; not applied. 401, 429 with retry-after, 500, 302... */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The sign-in page with status 200; not applied. */
  | { readonly kind: 'html' }
  /** 200 and the right answer, but neither the call nor the history has it. */
  | { readonly kind: 'discard' }
  /** Applied, answered after this time, ms. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Never answered; applied or not. */
  | { readonly kind: 'hang'; readonly applied?: boolean }
  /** Applied; the headers and half of the body come, then nothing more. */
  | { readonly kind: 'stall' }
  /** The connection is reset: before it is applied, in the middle of the answer, or after, without an answer. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'during' | 'after' }
  /** Applied; bytes that are not HTTP. */
  | { readonly kind: 'garbage' }
  /** Applied; a JSON answer of this number of bytes. */
  | { readonly kind: 'huge'; readonly bytes: number };

/** A request as a fault script sees it. */
export type SeenRequest = {
  /** 1 for the first request since the API started. */
  readonly nth: number;
  readonly at: number;
  readonly method: string;
  /** Path below the base, such as `/voice/call`. */
  readonly path: string;
  readonly authorized: boolean;
  readonly payload: Payload;
};

/** Decides request by request: the fault to cause, or undefined to answer rightly. */
export type FaultScript = (request: SeenRequest) => Fault | undefined;

export function always(fault: Fault): FaultScript {
  return () => fault;
}

/** The first `count` requests fail, the others do not. */
export function times(count: number, fault: Fault): FaultScript {
  let left = count;
  return () => (left-- > 0 ? fault : undefined);
}

/** A share of the requests (0 to 1) fails; `random` gives 0 to 1. */
export function share(fraction: number, fault: Fault, random: () => number): FaultScript {
  return () => (random() < fraction ? fault : undefined);
}

export function isApplied(fault: Fault | undefined): boolean {
  switch (fault?.kind) {
    case 'status':
    case 'html':
    case 'discard':
      return false;
    case 'hang':
      return fault.applied === true;
    case 'reset':
      return fault.when !== 'before';
    default:
      return true;
  }
}

const signInPage = '<!doctype html><html><head><title>Sign in</title></head><body>Sign in</body></html>';

/** Answers `request` as the fault says, `right` being the body of the right answer. */
export function answerWrongly(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
  right: string,
) {
  const answerRightly = () => response.writeHead(200, { 'content-type': 'application/json' }).end(right);
  switch (fault.kind) {
    case 'discard':
      answerRightly();
      return;
    case 'slow':
      setTimeout(answerRightly, fault.ms);
      return;
    case 'hang':
      return;
    case 'status':
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(fault.body ?? JSON.stringify({ message: `Fault ${fault.status}.` }));
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' }).end(signInPage);
      return;
    case 'stall':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': right.length });
      response.write(right.slice(0, right.length / 2));
      return;
    case 'reset':
      if (fault.when !== 'during') return void request.socket.resetAndDestroy();
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': right.length });
      response.write(right.slice(0, right.length / 2), () => request.socket.resetAndDestroy());
      return;
    case 'garbage':
      request.socket.end('\u0000\u0001 not HTTP at all\r\n\r\n');
      return;
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ result: 'x'.repeat(fault.bytes) }));
  }
}
