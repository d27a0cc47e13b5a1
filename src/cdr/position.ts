import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

/** How far the records were read. */
export type Position = {
  /** The file's, so that one that was renamed is known again. */
  readonly inode: number;
  /** Bytes; always the beginning of a line. */
  readonly offset: number;
  /** A hash of the last bytes before `offset`, so that a file that was copied or replaced is known; '' at 0. */
  readonly tail: string;
};

/** What is kept of the reading of one file between two runs of the program. */
export type Mark = {
  readonly path: string;
  /** Unix ms at which the file was first looked at: calls from before are nobody's gap. */
  readonly since: number;
  readonly position: Position;
};

/** The mark in this file; undefined if there is none, or none that can be read. */
export function readMark(path: string): Mark | undefined {
  try {
    const { since, position, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as Mark;
    const { inode, offset, tail } = position;
    const isMark = [since, inode, offset].every(Number.isSafeInteger) && typeof tail === 'string';
    return isMark && typeof rest.path === 'string' ? { path: rest.path, since, position } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the mark, on disk when this returns. It is written after what was told from the records before it is in the
 * outbox. A transaction of both would gain nothing: what is read once more after a crash is in the outbox by then, and
 * is left alone.
 */
export function writeMark(path: string, mark: Mark): void {
  const part = `${path}.part`;
  const fd = openSync(part, 'w', 0o600);
  try {
    writeSync(fd, JSON.stringify(mark));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, path);
}
