import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How far a file was read. */
export type FilePosition = {
  /** Identifies the file after it was renamed. */
  readonly inode: number;
  /** Bytes; the beginning of a line. */
  readonly offset: number;
  /** A hash of the last bytes before `offset`, which identifies a copy and reveals a replacement; it says nothing at 0. */
  readonly tail: string;
};

export type Line = { readonly text: string; readonly from: FilePosition };

export type Lines<T> = {
  /** Complete lines only; a line that is being written is read later. */
  readonly lines: readonly Line[];
  /** What these lines hold. */
  readonly records: readonly T[];
  readonly next: FilePosition;
  /** True if there is no more to read now. */
  readonly atEnd: boolean;
  /** True if the file read last is gone, and the current one is read from its beginning. */
  readonly restarted: boolean;
};

/** Bytes read at once. More would block the process for longer than a few milliseconds. */
const chunkBytes = 1 << 18;

/** Bytes that identify a position: at least one record with its uniqueid. */
const tailBytes = 512;

/** Names of compressed files. */
const compressed = /\.(gz|bz2|xz|zst)$/;

/** The position after the file's last complete line; the beginning if there is no file. */
export async function endOf(path: string): Promise<FilePosition> {
  const end = inFile(path, async (file) => {
    const { ino, size } = await file.stat();
    const from = Math.max(0, size - chunkBytes);
    const bytes = await readAt(file, from, size - from);
    const offset = from + bytes.lastIndexOf(0x0a) + 1;
    return { inode: ino, offset, tail: await tailAt(file, offset) };
  });
  return (await end.catch(absent)) ?? beginning;
}

/**
 * The beginning of the oldest file that was written to since then, Unix ms, and the compressed files of that time. Rejects
 * with the system's error, ENOENT if there is no file at all.
 */
export async function beginningOf(
  path: string,
  since: number,
): Promise<{ position: FilePosition; unread: string[] }> {
  const [rotated, unread] = await Promise.all([rotatedFiles(path, false), rotatedFiles(path, true)]);
  const oldest = rotated.findLast(({ changed }) => changed >= since)?.file ?? path;
  const { ino: inode } = await stat(oldest);
  return {
    position: { ...beginning, inode },
    unread: unread.filter(({ changed }) => changed >= since).map(({ file }) => `${file} is compressed`),
  };
}

/** The file's last complete lines; empty if no line is complete, or the last one is longer than any record. */
export async function lastLinesOf(path: string): Promise<string[]> {
  return inFile(path, async (file) => {
    const { size } = await file.stat();
    const from = Math.max(0, size - chunkBytes);
    return (await readAt(file, from, size - from)).toString().split('\n').slice(0, -1);
  });
}

/** Reads lines. `unfinished`: how many of the last are read again later, together with what follows them. */
type ReadRecords<T> = (texts: readonly string[]) => { records: readonly T[]; unfinished: number };

/**
 * Reads from a position. If the file was rotated since (logrotate, with or without copytruncate), first the rest of the
 * old one is read, then the newer ones. Rejects with the system's error, ENOENT if there is no file.
 */
export async function readFrom<T>(
  path: string,
  position: FilePosition,
  recordsIn: ReadRecords<T> = () => ({ records: [], unfinished: 0 }),
): Promise<Lines<T>> {
  const current = await inFile(path, async (file) =>
    (await holds(file, position)) ? readLines(file, position, true, recordsIn) : undefined,
  );
  if (current !== undefined) return current;
  const files = [path, ...(await olderFiles(path))];
  for (let nth = 1; nth < files.length; nth++) {
    const rest = await inFile(files[nth] as string, async (file) =>
      (await holds(file, position)) ? readLines(file, position, false, recordsIn) : undefined,
    ).catch(absent);
    if (rest === undefined) continue;
    if (rest.lines.length > 0) return { ...rest, atEnd: false };
    return (await firstLines(files.slice(0, nth), recordsIn)) ?? rest;
  }
  const all = await inFile(path, (file) => readLines(file, beginning, true, recordsIn));
  return { ...all, restarted: position.inode !== 0 };
}

/** The lines of the oldest file that is not empty, since a position in an empty one identifies nothing. Newest first. */
async function firstLines<T>(
  files: readonly string[],
  recordsIn: ReadRecords<T>,
): Promise<Lines<T> | undefined> {
  for (let nth = files.length - 1; nth >= 0; nth--) {
    const chunk = await inFile(files[nth] as string, (file) =>
      readLines(file, beginning, nth === 0, recordsIn),
    );
    if (chunk.lines.length > 0) return { ...chunk, atEnd: chunk.atEnd && nth === 0 };
  }
  return undefined;
}

const beginning: FilePosition = { inode: 0, offset: 0, tail: '' };

async function inFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

const olderFiles = async (path: string) => (await rotatedFiles(path, false)).map(({ file }) => file);

/** Its rotated files, compressed or not, newest first. */
async function rotatedFiles(
  path: string,
  areCompressed: boolean,
): Promise<{ file: string; changed: number }[]> {
  const name = basename(path);
  const names = (await readdir(dirname(path))).filter(
    (each) =>
      each.startsWith(name) &&
      /^[.-]/.test(each.slice(name.length)) &&
      compressed.test(each) === areCompressed,
  );
  const found = await Promise.all(
    names.map(async (each) => {
      const file = join(dirname(path), each);
      const stats = await stat(file).catch(absent);
      return stats?.isFile() ? [{ file, changed: stats.mtimeMs }] : [];
    }),
  );
  return found.flat().sort((a, b) => b.changed - a.changed);
}

async function holds(file: FileHandle, { inode, offset, tail }: FilePosition): Promise<boolean> {
  const stats = await file.stat();
  if (offset === 0) return stats.ino === inode;
  return stats.size >= offset && (await tailAt(file, offset)) === tail;
}

/** `mayGrow`: a last line without a line break is incomplete; in a rotated file it is complete. */
async function readLines<T>(
  file: FileHandle,
  from: FilePosition,
  mayGrow: boolean,
  recordsIn: ReadRecords<T>,
): Promise<Lines<T>> {
  const { ino: inode } = await file.stat();
  const before = Math.min(from.offset, tailBytes);
  const bytes = await readAt(file, from.offset - before, before + chunkBytes);
  const atEnd = bytes.length < before + chunkBytes;
  const positionAt = (index: number): FilePosition => ({
    inode,
    offset: from.offset - before + index,
    tail: hash(bytes.subarray(Math.max(0, index - tailBytes), index)),
  });
  const lines: Line[] = [];
  let start = before;
  let position: FilePosition = { ...from, inode };
  const take = (end: number, next: number) => {
    const to = positionAt(next);
    const text = bytes.toString('utf8', start, end).replace(/\r$/, '');
    lines.push({ text, from: position });
    start = next;
    position = to;
  };
  for (let end = bytes.indexOf(0x0a, start); end >= 0; end = bytes.indexOf(0x0a, start)) take(end, end + 1);
  // A line of that length is skipped like any other that is not a record.
  const isRest = start < bytes.length && ((atEnd && !mayGrow) || (!atEnd && start === before));
  if (isRest) take(bytes.length, bytes.length);
  // In a rotated file nothing follows the last line; and what fills the whole chunk is none of a record's.
  const { records, unfinished } = recordsIn(lines.map(({ text }) => text));
  const left = atEnd && !mayGrow ? 0 : unfinished;
  if (left === 0 || (left === lines.length && !atEnd))
    return { lines, records, next: position, atEnd, restarted: false };
  const [first] = lines.slice(-left);
  return { lines: lines.slice(0, -left), records, next: first?.from ?? position, atEnd, restarted: false };
}

async function tailAt(file: FileHandle, offset: number): Promise<string> {
  const length = Math.min(offset, tailBytes);
  return hash(await readAt(file, offset - length, length));
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
