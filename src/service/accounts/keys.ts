import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account, Integration } from './account.ts';

/**
 * Tokens and signatures, derived from one server secret with HMAC-SHA-256 (hex): they can be shown again at any time and
 * are not stored. Raising a token's counter replaces the token.
 */
export type Keys = ReturnType<typeof createKeys>;

/** `secret`: at least 32 random bytes. */
export function createKeys(secret: Uint8Array) {
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('hex');
  return {
    /** Signs a text for a purpose, such as links and forms. */
    sign,
    integrationToken: ({ uid, tokenCounter }: Pick<Integration, 'uid' | 'tokenCounter'>): string =>
      `cia_${uid}${sign('integration', `${uid} ${tokenCounter}`)}`,
    adminToken: ({ uid, tokenCounter }: Pick<Account, 'uid' | 'tokenCounter'>): string =>
      `adm_${uid}${sign('admin', `${uid} ${tokenCounter}`)}`,
    /** Reads the account's phone book, and nothing else: it is part of an address in desk phones. */
    phoneBookToken: ({ uid, phoneBookCounter }: Pick<Account, 'uid' | 'phoneBookCounter'>): string =>
      `pbk_${uid}${sign('phone-book', `${uid} ${phoneBookCounter}`)}`,
    /** Reads /admin/fleet, and nothing else: browsers keep it as a password. */
    fleetToken: (counter: number): string => `flt_${sign('fleet', siteCounter(counter))}`,
    /** The service operator's token: it adds accounts by /admin. */
    operatorToken: (counter: number): string => `opr_${sign('operator', siteCounter(counter))}`,
  };
}

/** Tokens of version 1.0.0, which had no counter, are valid until they are replaced. */
const siteCounter = (counter: number) => (counter === 0 ? '' : String(counter));

/** The `uid` in a token of an integration or account; '' if the text is not a token. */
export function uidOf(token: string): string {
  return /^(?:cia|adm|pbk)_([0-9a-f]{16})[0-9a-f]{64}$/.exec(token)?.[1] ?? '';
}

/** Compares two texts in constant time. */
export function sameText(given: string | Buffer, expected: string | Buffer): boolean {
  const [a, b] = [bytesOf(given), bytesOf(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const bytesOf = (text: string | Buffer) => (typeof text === 'string' ? Buffer.from(text) : text);

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
