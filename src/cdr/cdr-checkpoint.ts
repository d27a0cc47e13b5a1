import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** What is kept of the reading of one source between two runs of the program. */
export type Mark = {
  /** The source's name. */
  readonly source: string;
  /** Unix ms at which it was first looked at: calls from before are nobody's gap. */
  readonly since: number;
  /** How far it was read: what only the source understands. */
  readonly position: unknown;
};

/** The mark in this file; undefined if there is none, or none that can be read. */
export function readMark(path: string): Mark | undefined {
  try {
    const { source, since, position } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Mark>;
    if (typeof source !== 'string' || !Number.isSafeInteger(since)) return undefined;
    return { source, since: since as number, position };
  } catch {
    return undefined;
  }
}

/**
 * Keeps the mark, on disk when this returns. It is written after what was told from the records before it is in the
 * outbox. A transaction of both would gain nothing: what is read once more after a crash is in the outbox by then, and
 * is left alone.
 */
export function writeMark(path: string, mark: string): void {
  const part = `${path}.part`;
  // Whoever left one there, such as a root shell: the folder is ours, so it can go.
  rmSync(part, { force: true });
  const fd = openSync(part, 'w', 0o600);
  try {
    writeSync(fd, mark);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, path);
}
