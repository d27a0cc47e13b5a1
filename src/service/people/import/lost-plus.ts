import { withoutDecimals } from '../../../shared/phone-number/number-texts.ts';
import { sameLine } from '../../../shared/phone-number/same-line.ts';
import type { Line } from './imported-customer.ts';
import type { KnownCustomers } from './known-customers.ts';

/** What one cell with numbers says, what of it is left out and what may mean something else. */
export type NumbersOfCell = {
  readonly numbers: readonly string[];
  readonly unread: readonly string[];
  readonly unsure: readonly string[];
  /** The only number of the cell as its digits are with a plus, if it is read otherwise. */
  readonly withPlus?: string | undefined;
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

/** A line in which digits are the number with a plus that the customer of its reference has. */
export function withKnownPlus<Of extends Line & { readonly cells: readonly NumbersOfCell[] }>(
  line: Of,
  { byReference }: KnownCustomers,
): Of {
  const known = byReference.get(line.reference ?? '')?.numbers ?? [];
  const isLost = ({ withPlus, numbers }: NumbersOfCell) =>
    withPlus !== undefined && known.includes(withPlus) && !numbers.some((number) => known.includes(number));
  if (known.length === 0 || !line.cells.some(isLost)) return line;
  const cells = line.cells.map(
    (one): NumbersOfCell =>
      isLost(one) ? { numbers: [sameLine(one.withPlus ?? '')[0]], unread: [], unsure: [] } : one,
  );
  return { ...line, ...allCells(cells) };
}
