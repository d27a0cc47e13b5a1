/** An action as it is sent to Asterisk, without its ActionID. */
export type Action = { readonly action: string; readonly [key: string]: string };

/** A value with a line break or NUL. The message names only the key: the value may be a secret. */
export class UnsafeValueError extends Error {
  override readonly name = 'UnsafeValueError';
}

/** True if a value has no line break or NUL. */
export function isSafeValue(value: string): boolean {
  return !/[\r\n\0]/.test(value);
}

/** @throws UnsafeValueError for a line break or NUL in a value: the rest of it would be another line of the action. */
export function assertSafe(fields: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(fields)) {
    if (!/^[A-Za-z]+$/.test(key)) throw new UnsafeValueError('a key sent to Asterisk must be a plain word');
    if (!isSafeValue(value)) {
      throw new UnsafeValueError(
        `${key} must not have a line break or NUL in it: it is not sent to Asterisk`,
      );
    }
  }
}
