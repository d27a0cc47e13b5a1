import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { limits } from '../../shared/api/contract/decisions.ts';
import type { Keys } from '../accounts/keys.ts';
import { plainText } from '../rules/plain-text.ts';

/** A header of a webhook's own. `value` undefined: as it is stored. */
export type Header = { readonly name: string; readonly value: string | undefined };

/** Of a webhook, and characters of all of them. */
export const maxHeaders = 20;
const MAX_CHARACTERS = 8_000;

/** What a page shows in place of a value, and what it says if the value stays. */
export const HIDDEN = '••••••';

/**
 * What the service says itself, what is for the next hop alone (RFC 9110, 7.6.1), or what could make two requests of one.
 * Those of Standard Webhooks prove who sends.
 */
const taken = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'user-agent', 'expect', 'trailer'],
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'transfer-encoding', 'upgrade', 'http2-settings'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-call-id'],
]);

/**
 * The header by which a receiver's log finds a call: its id, which the sender chooses, with what is not visible ASCII
 * percent-encoded, and as long as an id may be. Nothing for an event of no call.
 */
export const callHeader = (call: { readonly id: string } | null) =>
  call && {
    'webhook-call-id': call.id
      .toWellFormed()
      .replace(/[^!-~]/gu, encodeURIComponent)
      .slice(0, limits.referenceLength),
  };

/** Why headers are refused: a word of `formErrors`, with what it is about. */
export class HeaderError extends Error {
  readonly what: 'headerName' | 'headerValue' | 'headerTaken' | 'headerTwice' | 'headersTooLong';
  readonly about: string;
  constructor(what: HeaderError['what'], about: string) {
    super(`${what}: ${about}`);
    this.what = what;
    this.about = about;
  }
}

/** @throws HeaderError */
export function checkHeaders(headers: readonly Header[]): void {
  const names = new Set<string>();
  let length = 0;
  for (const { name, value = '' } of headers) {
    const about = plainText(name, 60);
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~\da-z-]+$/i.test(name)) throw new HeaderError('headerName', about);
    if (taken.has(lower)) throw new HeaderError('headerTaken', about);
    if (names.has(lower)) throw new HeaderError('headerTwice', about);
    // Visible ASCII, with blanks between: other characters are sent in no one way.
    if (!/^(?:[!-~]+(?:[ \t]+[!-~]+)*)?$/.test(value)) throw new HeaderError('headerValue', about);
    names.add(lower);
    length += name.length + value.length;
  }
  if (headers.length > maxHeaders || length > MAX_CHARACTERS)
    throw new HeaderError('headersTooLong', String(maxHeaders));
}

/**
 * One a line, as in HTTP. A value of dots is the stored one.
 * @throws HeaderError
 */
export function headersIn(text: string): Header[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 0) throw new HeaderError('headerName', plainText(line, 60));
    const value = line.slice(colon + 1).trim();
    return { name: line.slice(0, colon).trim(), value: value === HIDDEN ? undefined : value };
  });
  checkHeaders(headers);
  return headers;
}

type Owner = { readonly uid: string };
const keyOf = (keys: Keys, { uid }: Owner) => Buffer.from(keys.sign('webhook headers', uid), 'hex');

/** The headers of a webhook with the values that stay; those that were not there before are left out. Null: none. */
export function sealHeaders(
  keys: Keys,
  owner: Owner,
  headers: readonly Header[],
  before: string | null,
): string | null {
  const stored = new Map(
    openHeaders(keys, owner, before).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const all = headers.flatMap(({ name, value = stored.get(name.toLowerCase()) }) =>
    value === undefined ? [] : [[name, value]],
  );
  if (all.length === 0) return null;
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(keys, owner), nonce);
  const sealed = [cipher.update(JSON.stringify(all)), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64');
}

/** Names and values; none if another secret has sealed them. */
export function openHeaders(
  keys: Keys,
  owner: Owner,
  sealed: string | null,
): [name: string, value: string][] {
  if (sealed === null) return [];
  try {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', keyOf(keys, owner), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString();
    return JSON.parse(text);
  } catch {
    return [];
  }
}
