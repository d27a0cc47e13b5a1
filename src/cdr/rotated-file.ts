import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How far a file was read. */
export type FilePosition = {
  /** The file's, so that one that was renamed is known again. */
  readonly inode: number;
  /** Bytes; always the beginning of a line. */
  readonly offset: number;
  /** A hash of the last bytes before `offset`, so that a file that was copied or replaced is known; '' at 0. */
  readonly tail: string;
};

export type Line = { readonly text: string; readonly from: FilePosition };

export type Lines = {
  /** Whole lines only; one that is being written comes with the next. */
  readonly lines: readonly Line[];
  /** Where to read on. */
  readonly next: FilePosition;
  /** True if this was all for now. */
  readonly atEnd: boolean;
  /** True if the file that was read last is gone: it is read from the beginning of the one that is there now. */
  readonly lost: boolean;
};

/** Bytes read at once: more would hold the telephone events up for longer than a few milliseconds. */
const chunkBytes = 1 << 18;

/** Bytes that tell a place in a file from all others: a record holds its call's uniqueid. */
const tailBytes = 512;

/** Names of the files that logrotate has packed. */
const packed = /\.(gz|bz2|xz|zst)$/;

/** The end of the file's last whole line, to begin from now; its beginning if it is not there yet. */
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

/** The file's last whole line; undefined if it has none, or none that is not longer than a record can be. */
export async function lastLineOf(path: string): Promise<string | undefined> {
  return inFile(path, async (file) => {
    const { size } = await file.stat();
    const from = Math.max(0, size - chunkBytes);
    const lines = (await readAt(file, from, size - from)).toString().split('\n').slice(0, -1);
    return lines.at(-1);
  });
}

/**
 * Reads on from a position, also when the file was renamed or copied away and begun anew since (logrotate, with or
 * without copytruncate): first the rest of the old one, then those that came after it. Throws what the disk says,
 * ENOENT if there is no file.
 */
export async function readOn(path: string, position: FilePosition): Promise<Lines> {
  const current = await inFile(path, async (file) =>
    (await holds(file, position)) ? readLines(file, position, true) : undefined,
  );
  if (current !== undefined) return current;
  const files = [path, ...(await olderFiles(path))];
  for (let nth = 1; nth < files.length; nth++) {
    const rest = await inFile(files[nth] as string, async (file) =>
      (await holds(file, position)) ? readLines(file, position, false) : undefined,
    ).catch(absent);
    if (rest === undefined) continue;
    if (rest.lines.length > 0 || !rest.atEnd) return { ...rest, atEnd: false };
    return (await firstLines(files.slice(0, nth))) ?? { ...rest, next: position };
  }
  const anew = await inFile(path, (file) => readLines(file, beginning, true));
  return { ...anew, lost: position.inode !== 0 };
}

/** Of the oldest of these files (newest first) that has any: a place in an empty file would not be known again. */
async function firstLines(files: readonly string[]): Promise<Lines | undefined> {
  for (let nth = files.length - 1; nth >= 0; nth--) {
    const chunk = await inFile(files[nth] as string, (file) => readLines(file, beginning, nth === 0));
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

/** The files beside it that it was before, newest first. */
async function olderFiles(path: string): Promise<string[]> {
  const name = basename(path);
  const names = (await readdir(dirname(path))).filter(
    (each) => each.startsWith(name) && /^[.-]/.test(each.slice(name.length)) && !packed.test(each),
  );
  const found = await Promise.all(
    names.map(async (each) => {
      const file = join(dirname(path), each);
      const stats = await stat(file).catch(absent);
      return stats?.isFile() ? [{ file, changed: stats.mtimeMs }] : [];
    }),
  );
  return found
    .flat()
    .sort((a, b) => b.changed - a.changed)
    .map(({ file }) => file);
}

async function holds(file: FileHandle, { inode, offset, tail }: FilePosition): Promise<boolean> {
  const stats = await file.stat();
  if (offset === 0) return stats.ino === inode;
  return stats.size >= offset && (await tailAt(file, offset)) === tail;
}

/** `mayGrow`: a last line without a break is not complete yet; in a file that was put away it is. */
async function readLines(file: FileHandle, from: FilePosition, mayGrow: boolean): Promise<Lines> {
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
  // A line of that length is none: it is passed over like any other that is no record.
  const isRest = start < bytes.length && ((atEnd && !mayGrow) || (!atEnd && start === before));
  if (isRest) take(bytes.length, bytes.length);
  return { lines, next: position, atEnd, lost: false };
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
  return bytes.length === 0 ? '' : createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
