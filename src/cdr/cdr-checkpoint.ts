import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** How far a source was read, saved between two runs of the program. */
export type CdrCheckpoint = {
  /** The source's name. */
  readonly source: string;
  /** Unix ms of the first start with this source; earlier calls are not reported. */
  readonly since: number;
  /** The position in the source, opaque to all others. */
  readonly position: unknown;
};

/** Reads the checkpoint; undefined if there is none, or it is not readable. */
export function readCheckpoint(path: string): CdrCheckpoint | undefined {
  try {
    const { source, since, position } = JSON.parse(readFileSync(path, 'utf8')) as Partial<CdrCheckpoint>;
    if (typeof source !== 'string' || !Number.isSafeInteger(since)) return undefined;
    return { source, since: since as number, position };
  } catch {
    return undefined;
  }
}

/**
 * Writes the checkpoint; on disk when this returns. The events of the records before it are in the outbox by then.
 * A common transaction is not needed: records read again after a crash are found in the outbox, and skipped.
 */
export function writeCheckpoint(path: string, checkpoint: string): void {
  const part = `${path}.part`;
  // A file of another user, such as root, could not be overwritten; the directory is ours, so it can be deleted.
  rmSync(part, { force: true });
  const fd = openSync(part, 'w', 0o600);
  try {
    writeSync(fd, checkpoint);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, path);
}
