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

/** As 1.0.0 stored numbers of which it did not know that they are written otherwise today (see parse-number.ts). */
const former: readonly [RegExp, string][] = [
  [/^\+52(\d{10})$/, '521$1'],
  [/^\+55(\d\d)9([6-9]\d{7})$/, '+55$1$2'],
  [/^\+22901(\d{8})$/, '229$1'],
  [/^\+390(\d{6,})$/, '+39$1'],
];

/** A number, and the other form in which a customer may have it; twice the same if there is none. */
export function storedForms(number: string): readonly [string, string] {
  const [form, other = ''] = former.find(([pattern]) => pattern.test(number)) ?? [];
  const twin = sameLine(number).find((one) => one !== number);
  return [number, twin ?? (form ? number.replace(form, other) : number)];
}
