import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Account, Integration } from './directory-store.ts';

/**
 * Tokens and signatures, derived from one server secret with HMAC-SHA-256 (hex): they can be shown again at any time and
 * are not stored. Raising a token's counter replaces the token.
 */
export type Keys = ReturnType<typeof makeKeys>;

/** `secret`: at least 32 random bytes. */
export function makeKeys(secret: Uint8Array) {
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('hex');
  return {
    /** Signs a text for a purpose, such as links and forms. */
    sign,
    integrationToken: ({ uid, tokenCounter }: Pick<Integration, 'uid' | 'tokenCounter'>): string =>
      `cia_${uid}${sign('integration', `${uid} ${tokenCounter}`)}`,
    adminToken: ({ uid, tokenCounter }: Pick<Account, 'uid' | 'tokenCounter'>): string =>
      `adm_${uid}${sign('admin', `${uid} ${tokenCounter}`)}`,
  };
}

/** The `uid` in a token of either kind; '' if the text is not a token. */
export function uidOf(token: string): string {
  return /^(?:cia|adm)_([0-9a-f]{16})[0-9a-f]{64}$/.exec(token)?.[1] ?? '';
}

/** Compares two texts in constant time. */
export function sameText(given: string | Buffer, expected: string | Buffer): boolean {
  const [a, b] = [bytesOf(given), bytesOf(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const bytesOf = (text: string | Buffer) => (typeof text === 'string' ? Buffer.from(text) : text);
