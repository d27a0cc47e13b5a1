import { withoutDecimals } from '../../../shared/phone-number/number-texts.ts';
import { sameLine } from '../../../shared/phone-number/same-line.ts';
import { storedDigits } from '../exported-numbers.ts';
import type { Line } from './imported-customer.ts';
import type { KnownCustomers } from './known-customers.ts';

/** What one cell with numbers says, what of it is left out and what may mean something else. */
export type NumbersOfCell = {
  readonly numbers: readonly string[];
  readonly unread: readonly string[];
  readonly unsure: readonly string[];
  /** The only number of the cell as its digits are with a plus, if it is read otherwise. */
  readonly withPlus?: string | undefined;
  /** What is left out, and what is said of each. */
  readonly leftOut?: readonly { readonly text: string; readonly said: string }[];
};

/** What all cells of a line say. */
export const allCells = (
  cells: readonly NumbersOfCell[],
): Pick<Line, 'unread' | 'unsure'> & { readonly numbers: string[] } => ({
  numbers: [...new Set(cells.flatMap(({ numbers }) => numbers))],
  unread: cells.flatMap(({ unread }) => unread),
  unsure: [...new Set(cells.flatMap(({ unsure }) => unsure))],
});

/** The number of a cell without letters as it is with a plus before its digits: spreadsheets remove it. */
export function withPlus(cell: string, numbers: readonly string[]): string | undefined {
  const digits = withoutDecimals(cell);
  if (!/^\+?[1-9][\d\s()./-]{5,30}$/.test(digits)) return undefined;
  const number = `+${digits.replace(/\D+/g, '')}`;
  return numbers.length === 1 && numbers[0] === sameLine(number)[0] ? undefined : number;
}

/**
 * A line in which digits are the number that the customer of its reference has: with a plus, or of no country, as it was
 * exported.
 */
export function withKnownPlus<Of extends Line & { readonly cells: readonly NumbersOfCell[] }>(
  line: Of,
  { byReference }: KnownCustomers,
): Of {
  const known = byReference.get(line.reference ?? '')?.numbers ?? [];
  if (known.length === 0) return line;
  const cells = line.cells.map((cell) => withKnown(cell, known));
  return cells.every((cell, at) => cell === line.cells[at]) ? line : { ...line, ...allCells(cells) };
}

function withKnown(cell: NumbersOfCell, known: readonly string[]): NumbersOfCell {
  const { numbers, unread, withPlus = '', leftOut = [] } = cell;
  if (!numbers.some((number) => known.includes(number))) {
    const lost = known.includes(withPlus) ? sameLine(withPlus)[0] : storedDigits(withPlus, known);
    if (lost !== undefined) return { numbers: [lost], unread: [], unsure: [] };
  }
  const found = leftOut.flatMap(({ text, said }) => {
    const number = storedDigits(text, known);
    return number === undefined ? [] : [{ number, said }];
  });
  if (found.length === 0) return cell;
  return {
    ...cell,
    numbers: [...numbers, ...found.map(({ number }) => number)],
    unread: unread.filter((one) => !found.some(({ said }) => said === one)),
  };
}
