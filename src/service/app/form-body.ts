import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { multipartFields } from '../kit/multipart.ts';
import { Refusal } from '../kit/refusal.ts';
import { urlEncodedFields } from '../kit/url-encoded.ts';
import { decodedText, UnknownEncoding } from '../people/import/decode-text.ts';

/** How much of a form that is too large is read before it is refused: browsers read the answer when they have sent all. */
const DISCARDED = 4;
/** Twice as many as the longest form of a page has: an account's extensions. */
const MAX_FIELDS = 5_000;

/**
 * Parses forms as they come without files and with them. A file is a field with its text. `formBytes`: the limit of
 * routes that set none.
 */
export function takeForms(app: FastifyInstance, formBytes: number): void {
  app.removeAllContentTypeParsers();
  const limitOf = ({ routeOptions }: FastifyRequest) => routeOptions.bodyLimit ?? formBytes;
  const tooLarge = (limit: number) =>
    new Refusal(413, (errors) => (limit > formBytes ? errors.tableTooLarge : errors.tooLarge));
  const bodyOf = async (request: FastifyRequest, stream: Readable) => {
    const limit = limitOf(request);
    const body = await readUpTo(stream, limit);
    if (body === undefined) throw tooLarge(limit);
    return body;
  };
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, stream: Readable) => {
      const fields = await urlEncodedFields(await bodyOf(request, stream), MAX_FIELDS);
      if (fields === undefined) throw tooLarge(formBytes);
      return fields;
    },
  );
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, stream: Readable) => {
    const body = await bodyOf(request, stream);
    const parts = multipartFields(body, request.headers['content-type'] ?? '', MAX_FIELDS);
    if (parts === 'too many') throw tooLarge(formBytes);
    if (parts === undefined) throw new Refusal(400, ({ notPossible }) => notPossible);
    const fields = new URLSearchParams();
    for (const { name, isFile, bytes } of parts)
      fields.append(name, (isFile ? fileText(bytes) : bytes.toString()).replaceAll('\0', '\ufffd'));
    return fields;
  });
}

/** @throws Refusal 415 if the encoding of the bytes is unknown */
function fileText(bytes: Uint8Array): string {
  try {
    return decodedText(bytes);
  } catch (error) {
    throw error instanceof UnknownEncoding
      ? new Refusal(415, ({ unknownEncoding }) => unknownEncoding(error.words))
      : error;
  }
}

/** A body of at most `limit` bytes; undefined if it has more. */
async function readUpTo(stream: Readable, limit: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (size > DISCARDED * limit) return undefined;
    }
  } catch {
    throw new Refusal(400, ({ notPossible }) => notPossible);
  }
  return size <= limit ? Buffer.concat(chunks) : undefined;
}
