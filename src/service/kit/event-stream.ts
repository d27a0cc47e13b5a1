import { Readable } from 'node:stream';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { securityHeaders } from './security-headers.ts';

/** Shorter frames, such as a call that moved, go as they are: to pack them costs more than it saves. */
const ZIPPED_BYTES = 2_000;

/** A frame as it is sent, plain and packed. */
type Frame = { readonly bytes: Buffer; readonly packed: Buffer };

/**
 * Makes frames of texts. The last one is kept: what goes to all screens of an account is encoded and packed once. Each is
 * packed by itself, so that no screen needs a compressor of its own, which has a quarter of a megabyte.
 */
export function createFrames(): (text: string) => Frame {
  let last: { readonly text: string; readonly frame: Frame } | undefined;
  return (text) => {
    if (last?.text === text) return last.frame;
    const bytes = Buffer.from(text);
    const frame = { bytes, packed: bytes.length >= ZIPPED_BYTES ? deflated(bytes) : stored(bytes) };
    last = { text, frame };
    return frame;
  };
}

const deflated = (bytes: Buffer) => deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });

/** A block that is not compressed (RFC 1951, 3.2.4). */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(0xffff - bytes.length, 3);
  return Buffer.concat([head, bytes]);
}

/** One gzip file (RFC 1952) of frames that can each be read as soon as they have come. */
export function gzipOfFrames() {
  let [crc, size] = [0, 0];
  return {
    head: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]),
    pack({ bytes, packed }: Frame): Buffer {
      crc = crc32(bytes, crc);
      size = (size + bytes.length) % 2 ** 32;
      return packed;
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
 * `accepts`: the encodings that the client takes. `frames`: shared by streams that send the same.
 */
export function openEventStream(reply: FastifyReply, accepts = '', frames = createFrames()) {
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
    write(text: string): void {
      const frame = frames(text);
      raw.write(zip ? zip.pack(frame) : frame.bytes);
    },
    end(): void {
      if (!raw.writableEnded) raw.end(zip?.end());
    },
  };
}
