import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fieldsOf } from '../../api/contract/fields.ts';
import { Refusal } from './refusal.ts';

/** Parses bodies as JSON objects in UTF-8; keeps the bytes for the history even if they are invalid. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      request.payload = body;
      try {
        done(null, fieldsIn(body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done) => {
    request.payload = body;
    done(new Refusal(415, 'The Content-Type header must be application/json.'));
  });
}

/** Decision `broken-json`. An empty body counts as an object without fields, so that each missing field is named. */
function fieldsIn(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return fieldsOf({});
  if (!isUtf8(body)) throw new Refusal(400, 'The request body is not UTF-8.');
  const start = body[0] === 0xef ? 3 : 0; // a byte order mark is not part of the text (RFC 8259, 8.1)
  const value = parse(body.toString('utf8', start));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, 'The request body must be a JSON object.');
  }
  return fieldsOf(value as Record<string, unknown>);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The request body is not valid JSON.');
  }
}
