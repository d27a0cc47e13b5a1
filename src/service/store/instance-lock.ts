import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Holds a state folder for one service: two on one file would each keep screens and caches of their own.
 * The lock is the kernel's, on a file of its own, so it ends with the process, however that ends.
 */
export function lockStateDir(stateDir: string): () => void {
  const file = join(stateDir, 'service.lock');
  const db = new DatabaseSync(file, { timeout: 200 });
  try {
    chmodSync(file, 0o600);
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw new Error(`another service uses the state folder ${stateDir}`, { cause: error });
  }
  return () => db.close();
}
