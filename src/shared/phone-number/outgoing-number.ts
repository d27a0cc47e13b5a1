import { normaliseNumber, readNumber } from './normalise-number.ts';
import { parse } from './parse-number.ts';
import type { Notation } from './trunk-notation.ts';

/**
 * The E.164 number that a PBX has dialled over a trunk; undefined if there is none in it. Digits that the trunk wants before each
 * number are taken off only as its notation says (TRUNK_NUMBERS), and only if they make no number as they stand: a guess could
 * take one number for another.
 */
export function outgoingNumber(
  dialled: string,
  country: string | null | undefined,
  notation: Notation,
): string | undefined {
  const asDialled = normaliseNumber(dialled, country);
  const isNumber = asDialled.startsWith('+') && parse(asDialled)?.isValid();
  const number = isNumber ? asDialled : readNumber(dialled, country, notation).number;
  return number.startsWith('+') ? number : undefined;
}
