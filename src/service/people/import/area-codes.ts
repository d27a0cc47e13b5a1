import { normaliseNumber } from '../../../shared/phone-number/normalise-number.ts';
import type { Mapping } from './choose-columns.ts';
import { namesAreaCodes } from './header-words.ts';

const areaCode = /^\(?(?:\+|00)?\d{1,6}\)?[\s/-]*$/;
const digitsOf = (text: string) => text.replace(/\D/g, '');

/**
 * The columns with the first part of the numbers in another: area codes, codes of countries. Nothing joins them. `sample`:
 * some lines of the table.
 */
export function areaCodeColumns(
  { header, sample }: { readonly header: readonly string[]; readonly sample: readonly (readonly string[])[] },
  mapping: Mapping,
  country: string | null,
): readonly number[] {
  const numberColumns = [...mapping.keys()].filter((column) => mapping[column] === 'numbers');
  return [...header.keys()].filter((column) => {
    if (mapping[column] === 'numbers' || !namesAreaCodes(header[column] ?? '')) return false;
    const next = numberColumns.find((other) => other > column) ?? numberColumns.at(-1);
    const rows = sample.filter((cells) => cells[column]);
    return (
      next !== undefined &&
      rows.filter((cells) => areaCode.test(cells[column] ?? '')).length > rows.length / 2 &&
      rows.some((cells) => isApart(cells[column] ?? '', cells[next] ?? '', country))
    );
  });
}

/** Whether a number lacks the code in the cell before it. */
function isApart(code: string, number: string, country: string | null): boolean {
  const [first, rest] = [digitsOf(code).replace(/^0+/, ''), digitsOf(number).replace(/^0+/, '')];
  if (first === '' || rest === '' || /^\s*\(?(?:\+|00)/.test(number) || rest.startsWith(first)) return false;
  // It is the code of the account's own country, or that of an area that need not be dialled there.
  return !normaliseNumber(number, country).startsWith(`+${first}`);
}
