/**
 * What is removed from log lines: secrets, most digits of phone numbers, and characters that control a terminal or
 * reorder its text. A caller's name is untrusted text from the public telephone network.
 */
export type Redaction = {
  /** Values that must never appear, such as the token. */
  readonly secrets: readonly string[];
  readonly maskNumbers: boolean;
};

/** C0 and C1 controls, line separators, and marks that change the direction of text (Unicode TR9). */
const controlCharacters = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A shorter secret would match parts of ordinary words, and the holes in the log would give it away. */
const MIN_SECRET_LENGTH = 4;

/** Seven digits or more: a subscriber number. Extensions are shorter, and not private. */
const phoneNumber = /(?<![\w.-])\+?\d{7,}(?![\w.-])/g;

/** Fields that hold ids: full of digits, and useless when masked. */
const ids = new Set(['call', 'uniqueid', 'linkedid', 'seq', 'time', 'pid', 'channel']);

/** `+31201234567` is `+312*****67`. */
export function maskNumber(number: string): string {
  const head = number.startsWith('+') ? 4 : 3;
  return number.slice(0, head) + '*'.repeat(Math.max(number.length - head - 2, 0)) + number.slice(-2);
}

/** Masks every phone number in a text. */
export function maskNumbers(text: string): string {
  return text.replace(phoneNumber, maskNumber);
}

/** A value as JSON for a terminal: `JSON.stringify` leaves C1 controls and marks of direction as they are. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(controlCharacters, (character) =>
    character === '\n' ? '\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Escapes control characters, as in `\x1b`. */
export function escapeControls(text: string): string {
  return text.replace(controlCharacters, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Returns a copy of a log line's fields that is safe to write and show. Errors become their message, see `describeError`. */
export function redactFields(
  fields: Readonly<Record<string, unknown>>,
  redaction: Redaction,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, redactValue(value, redaction, ids.has(name), 0)]),
  );
}

function redactValue(value: unknown, redaction: Redaction, isId: boolean, depth: number): unknown {
  if (typeof value === 'string') return redactText(value, redaction, isId);
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  if (value instanceof Error) return redactText(describeError(value), redaction, false);
  if (depth > 4) return '…';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redaction, isId, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      escapeControls(name),
      redactValue(item, redaction, ids.has(name), depth + 1),
    ]),
  );
}

function redactText(text: string, { secrets, maskNumbers: masks }: Redaction, isId: boolean): string {
  let safe = text;
  for (const secret of secrets)
    if (secret.length >= MIN_SECRET_LENGTH) safe = safe.replaceAll(secret, '[secret]');
  if (masks && !isId) safe = maskNumbers(safe);
  return escapeControls(safe);
}

/** A system error (with a code, such as ENOSPC) needs only its message; any other is a bug, so its place is added. */
function describeError(error: Error): string {
  const place = 'code' in error ? undefined : /\n\s+at (.*)/.exec(error.stack ?? '')?.[1];
  return place === undefined ? error.message : `${error.message} (at ${place})`;
}
