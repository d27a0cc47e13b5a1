import { pageSize } from './page.ts';

/** A page image in a WAL. */
export type Frame = { readonly pageNumber: number; readonly page: Buffer };

const headerSize = 32;
const frameHeaderSize = 24;
const frameSize = frameHeaderSize + pageSize;

/**
 * The page images of a WAL, whatever their checksums say, the oldest first: behind its newest frames there may be some
 * of an earlier round, whose first salt is lower.
 */
export function framesOf(wal: Buffer): Frame[] {
  const frames: (Frame & { readonly salt: number })[] = [];
  for (let at = headerSize; at + frameSize <= wal.length; at += frameSize) {
    const page = wal.subarray(at + frameHeaderSize, at + frameSize);
    frames.push({ pageNumber: wal.readUInt32BE(at), page, salt: wal.readUInt32BE(at + 8) });
  }
  return frames.sort((a, b) => a.salt - b.salt);
}

/**
 * SQLite reads a WAL up to its first wrong checksum and silently drops the rest, acknowledged transactions included.
 * Returns the number of the first frame that it drops although complete transactions of the same WAL follow: the one after
 * the last valid commit, since SQLite drops a damaged transaction as a whole. Undefined if it drops none. (After a power
 * cut the last transaction may be incomplete. That looks the same, but it was not acknowledged.)
 * Source: https://sqlite.org/fileformat2.html, part 4.
 */
export function firstForgottenFrame(wal: Buffer): number | undefined {
  if (wal.length < headerSize + frameSize) return undefined;
  const littleEndian = (wal.readUInt32BE(0) & 1) === 0;
  const sum = checksum(littleEndian);
  sum.add(wal, 0, 24);
  if (wal.readUInt32BE(8) !== pageSize || !sum.is(wal, 24)) return 0;

  let bad = false;
  let frame = 0;
  let validFrames = 0;
  for (let at = headerSize; at + frameSize <= wal.length; at += frameSize, frame++) {
    const ours = wal.compare(wal, 16, 24, at + 8, at + 16) === 0;
    if (!bad) {
      sum.add(wal, at, 8);
      sum.add(wal, at + frameHeaderSize, pageSize);
      bad = !ours || !sum.is(wal, at + 16);
    }
    const commits = ours && wal.readUInt32BE(at + 4) !== 0;
    if (commits && bad) return validFrames;
    if (commits) validFrames = frame + 1;
  }
  return undefined;
}

/** SQLite's WAL checksum, running. */
function checksum(littleEndian: boolean) {
  let [a, b] = [0, 0];
  return {
    add(bytes: Buffer, from: number, length: number): void {
      const view = new DataView(bytes.buffer, bytes.byteOffset + from, length);
      for (let i = 0; i < length; i += 8) {
        a = (a + view.getUint32(i, littleEndian) + b) >>> 0;
        b = (b + view.getUint32(i + 4, littleEndian) + a) >>> 0;
      }
    },
    is: (bytes: Buffer, at: number): boolean =>
      bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b,
  };
}
