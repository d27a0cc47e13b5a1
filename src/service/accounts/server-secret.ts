import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the server secret from the state folder; the first start creates it (mode 0600). */
export function serverSecret(stateDir: string): Buffer {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, 'service-secret');
  try {
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new Error(`other users can read ${file}, from which every token is derived: run chmod 600 ${file}`);
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64,}$/.test(secret))
    throw new Error(`${file} does not hold a secret of at least 64 hexadecimal digits`);
  return Buffer.from(secret, 'hex');
}
