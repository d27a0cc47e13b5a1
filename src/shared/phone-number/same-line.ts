/** Argentina's mobile numbers have a 9 after the calling code when they are dialled from abroad, and only then. */
const argentina = /^\+549?(\d{10})$/;

/**
 * All numbers (as `normaliseNumber` returns them) that reach the same line, whichever of them is given: the one that
 * customers have first. Trunks and address books write either, and which lines are mobile, the number does not say.
 */
export function sameLine(number: string): readonly [string, ...string[]] {
  const [, national] = argentina.exec(number) ?? [];
  return national === undefined ? [number] : [`+54${national}`, `+549${national}`];
}
