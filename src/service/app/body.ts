import type { FastifyInstance } from 'fastify';
import { limits } from '../../shared/api/contract/decisions.ts';
import { fieldsOf } from '../../shared/api/contract/fields.ts';
import { refuseEncoded } from '../kit/encoded-body.ts';
import { Refusal } from '../kit/refusal.ts';

/**
 * How much of a body that is too large is read before it is refused, bytes: many clients read the answer only after
 * they have sent all.
 */
const DISCARDED_BYTES = 16 * limits.bodyBytes;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses bodies as JSON objects, and keeps the bytes for the history even if they are invalid. Fastify would refuse a
 * malformed Content-Type before it reads the body, so the header is removed before.
 */
export function takeJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('contentType', '');
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    request.contentType = headers['content-type'] ?? '';
    headers['content-type'] = undefined;
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, stream, done) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => {
      request.payload = beginningOf(Buffer.concat(chunks));
      try {
        if (size > limits.bodyBytes) throw new Refusal(413, 'The request body is too large.');
        refuseEncoded(request);
        done(null, fieldsIn(request.payload, request.contentType));
      } catch (error) {
        done(error as Error);
      }
    };
    stream.on('data', (chunk: Buffer) => {
      if (size <= limits.bodyBytes) chunks.push(chunk);
      const before = size;
      size += chunk.length;
      if (before <= DISCARDED_BYTES && size > DISCARDED_BYTES) end();
    });
    stream.on('end', () => {
      if (size <= DISCARDED_BYTES) end();
    });
    stream.on('error', () => done(new Refusal(400, 'The connection ended before the request did.')));
  });
}

/** As much as the history keeps of a body; a character is not cut. */
function beginningOf(body: Buffer): Buffer {
  if (body.length <= limits.bodyBytes) return body;
  let end: number = limits.bodyBytes;
  while (end > 0 && ((body[end] as number) & 0xc0) === 0x80) end -= 1;
  return body.subarray(0, end);
}

/** Decisions `content-type`, `broken-json`. An empty body counts as an object without fields, so that each missing field is named. */
function fieldsIn(body: Buffer, contentType: string): Record<string, unknown> {
  if (body.length === 0) return {};
  if (contentType.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new Refusal(415, 'The Content-Type header must be application/json.');
  const value = parse(textOf(body, /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, 'The request body must be a JSON object.');
  }
  return fieldsOf(value as Record<string, unknown>);
}

function textOf(body: Buffer, charset: string | undefined): string {
  try {
    // Without a byte order mark, which is not part of the text (RFC 8259, 8.1).
    return (charset === undefined ? utf8 : new TextDecoder(charset, { fatal: true })).decode(body);
  } catch (error) {
    if (error instanceof RangeError)
      throw new Refusal(415, 'The charset of the Content-Type header is unknown.');
    throw new Refusal(400, `The request body is not ${charset ?? 'UTF-8'}.`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The request body is not valid JSON.');
  }
}
