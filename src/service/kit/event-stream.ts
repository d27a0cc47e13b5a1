import { Readable } from 'node:stream';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { securityHeaders } from './security-headers.ts';

/** Shorter frames, such as a call that moved, go as they are: to pack them costs more than it saves. */
const ZIPPED_BYTES = 2_000;

/**
 * One gzip file (RFC 1952) of frames that can each be read as soon as they have come. Each is packed by itself, so that no
 * screen needs a compressor of its own, which has a quarter of a megabyte.
 */
export function gzipOfFrames() {
  let [crc, size] = [0, 0];
  return {
    head: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]),
    pack(frame: string): Buffer {
      const bytes = Buffer.from(frame);
      crc = crc32(bytes, crc);
      size = (size + bytes.length) % 2 ** 32;
      if (bytes.length >= ZIPPED_BYTES) return deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
      const stored = Buffer.alloc(5); // a block that is not compressed (RFC 1951, 3.2.4)
      stored.writeUInt16LE(bytes.length, 1);
      stored.writeUInt16LE(0xffff - bytes.length, 3);
      return Buffer.concat([stored, bytes]);
    },
    end(): Buffer {
      const end = Buffer.alloc(13);
      end.set([1, 0, 0, 0xff, 0xff]); // the last block, which is empty
      end.writeUInt32LE(crc, 5);
      end.writeUInt32LE(size, 9);
      return end;
    },
  };
}

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Answers a HEAD request of a stream, which does not begin. */
export const describeEventStream = (reply: FastifyReply): FastifyReply =>
  reply.type(EVENT_STREAM).send(Readable.from([]));

/**
 * Starts a response of server-sent events (HTML, "text/event-stream"); undefined if the client has disconnected.
 * `accepts`: the encodings that the client takes.
 */
export function openEventStream(reply: FastifyReply, accepts = '') {
  const { raw } = reply;
  reply.hijack();
  if (raw.destroyed) return undefined;
  const zip = /\bgzip\b/.test(accepts) ? gzipOfFrames() : null;
  raw.writeHead(200, {
    'content-type': EVENT_STREAM,
    ...(zip && { 'content-encoding': 'gzip', vary: 'accept-encoding' }),
    ...securityHeaders,
    'x-accel-buffering': 'no', // nginx would buffer events
  });
  if (zip) raw.write(zip.head);
  return {
    write: (frame: string): void => void raw.write(zip ? zip.pack(frame) : frame),
    end(): void {
      if (!raw.writableEnded) raw.end(zip?.end());
    },
  };
}
