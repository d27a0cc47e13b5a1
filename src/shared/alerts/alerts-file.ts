import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Log } from '../log/log.ts';
import { parseJson } from '../process/parse-json.ts';
import type { Notice, WatchedProblems } from './alert-rules.ts';

/** What is kept across restarts. */
export type Kept = {
  readonly watched: WatchedProblems;
  readonly unsent: Readonly<Record<string, readonly Notice[]>>;
};

/** A missing or damaged file counts as empty: problems that last are announced again. */
export function loadAlerts(file: string): Kept {
  try {
    const kept = parseJson(readFileSync(file, 'utf8')) as Partial<Kept> | undefined;
    return { watched: kept?.watched ?? {}, unsent: kept?.unsent ?? {} };
  } catch {
    return { watched: {}, unsent: {} };
  }
}

/** Writes one after the other. A full disk must not prevent the alert about it: what it refuses is only logged. */
export function createAlertsFile(file: string, log: Log, saved: Kept) {
  let onDisk = JSON.stringify(saved);
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function write(text: string): Promise<void> {
    if (text === onDisk || isClosed) return;
    try {
      await writeFile(`${file}.new`, text, { mode: 0o600 });
      await rename(`${file}.new`, file);
      onDisk = text;
    } catch (error) {
      if (onDisk !== '') log.say('alert.not-kept', { file, error });
      onDisk = '';
    }
  }

  return {
    /** Keeps what there is when its turn has come. */
    save(kept: () => Kept): Promise<void> {
      writing = writing.then(() => write(JSON.stringify(kept())));
      return writing;
    },
    /** Ends with the writes that have begun. */
    written: () => writing,
    close(): void {
      isClosed = true;
    },
  };
}
