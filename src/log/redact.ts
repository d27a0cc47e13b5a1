/**
 * What a log line may not carry: secrets, whole phone numbers, and characters that steer a terminal or reorder the
 * text on it. A caller's name is anybody's text: it reaches us from the public telephone network.
 */
export type Redaction = {
  /** Values that never appear, such as the token. */
  readonly secrets: readonly string[];
  readonly maskNumbers: boolean;
};

/** C0 and C1 controls, line separators, and the marks that turn the direction of text (Unicode TR9). */
const steering = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A shorter one is in every other word, and a log full of holes would give it away. */
const SHORTEST_SECRET = 4;

/** Seven digits or more: a subscriber number. An extension is nobody's secret. */
const phoneNumber = /(?<![\w.-])\+?\d{7,}(?![\w.-])/g;

/** Fields that hold ids: full of digits, and no use to anybody when masked. */
const ids = new Set(['call', 'uniqueid', 'linkedid', 'seq', 'time', 'pid', 'channel']);

/** `+31201234567` is `+312*****67`. */
export function maskNumber(number: string): string {
  const head = number.startsWith('+') ? 4 : 3;
  return number.slice(0, head) + '*'.repeat(Math.max(number.length - head - 2, 0)) + number.slice(-2);
}

/** A text with every number in it masked. */
export function maskNumbers(text: string): string {
  return text.replace(phoneNumber, maskNumber);
}

/** Control characters shown as what they are, `\x1b`, in place of what they do. */
export function neutralise(text: string): string {
  return text.replace(steering, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** A copy of a log line's fields, safe to write and to show. Errors become their message; where it is a mistake of ours, with the place of it. */
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
      neutralise(name),
      redactValue(item, redaction, ids.has(name), depth + 1),
    ]),
  );
}

function redactText(text: string, { secrets, maskNumbers: masks }: Redaction, isId: boolean): string {
  let safe = text;
  for (const secret of secrets)
    if (secret.length >= SHORTEST_SECRET) safe = safe.replaceAll(secret, '[secret]');
  if (masks && !isId) safe = maskNumbers(safe);
  return neutralise(safe);
}

/** An error of the system (ENOSPC and the like) says enough; one without a code is a mistake, and its place helps. */
function describeError(error: Error): string {
  const place = 'code' in error ? undefined : /\n\s+at (.*)/.exec(error.stack ?? '')?.[1];
  return place === undefined ? error.message : `${error.message} (at ${place})`;
}
