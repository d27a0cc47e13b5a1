import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ErrorBody } from '../../shared/api/contract/errors.ts';
import { basePath } from '../../shared/api/contract/paths.ts';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import { securityHeaders } from '../kit/security-headers.ts';

/** What Node's parser says of a request, and the bytes that it had then. */
type Unreadable = Error & { readonly code?: string; readonly reason?: string; readonly rawPacket?: Buffer };

const statuses: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** Answers what Node's HTTP parser refuses, and logs its reason. `app` is the application once it is made. */
export function unreadableRequests(log: Log, clock: () => number, app: () => FastifyInstance) {
  const limited = oncePerMinute(clock);
  return (fault: Error, socket: Socket): void => {
    const error: Unreadable = fault;
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const request = withRawUrl(error);
    if (request !== undefined) {
      const { remoteAddress = '' } = socket;
      void app()
        .inject({ method: 'GET', ...request, remoteAddress })
        .then(
          ({ statusCode, headers, rawPayload }) => socket.end(response(statusCode, headers, rawPayload)),
          () => socket.destroy(),
        );
      return;
    }
    const reason = error.reason ?? error.message;
    limited((suppressed) =>
      log.say('service.unreadable', { reason, address: socket.remoteAddress, suppressed }),
    );
    const status = statuses[error.code ?? ''] ?? 400;
    const message =
      error.code === 'HPE_INVALID_URL' || error.code === 'HPE_INVALID_CONSTANT'
        ? 'The request line is not valid. Blanks and characters outside ASCII must be percent-encoded in a URL.'
        : `${STATUS_CODES[status]}: ${reason}.`;
    const body = Buffer.from(JSON.stringify({ message } satisfies ErrorBody));
    socket.end(
      response(status, { ...securityHeaders, 'content-type': 'application/json; charset=utf-8' }, body),
    );
  };
}

const head = new RegExp(
  `^GET (${basePath}/voice/[^\\x00-\\x1f\\x7f]*) HTTP/1\\.[01]\\r\\n([^\\x00]*?)\\r\\n\\r\\n`,
);

/** A whole GET under /voice/ that is wrong in nothing but characters that its URL should encode (decision `raw-url`). */
function withRawUrl({ code = '', rawPacket }: Unreadable) {
  if (!/^HPE_INVALID_(URL|CONSTANT)$/.test(code) || rawPacket === undefined) return undefined;
  const [, target, lines] = head.exec(rawPacket.toString('latin1')) ?? [];
  if (target === undefined || lines === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const encoded = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
  return { url: target.replace(/[^!-~]/g, encoded), headers };
}

/** The last response on a connection. */
function response(status: number, headers: Record<string, unknown>, body: Buffer): Buffer {
  const all = { ...headers, 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(start, 'latin1'), body]);
}
