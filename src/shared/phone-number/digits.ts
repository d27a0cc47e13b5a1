const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));

/** What a decimal digit of any script counts. Unicode has them in runs, from 0 to 9 (Unicode Standard, 4.6). */
export function digitValue(digit: string): number {
  const code = digit.codePointAt(0) as number;
  let first = code;
  while (isDigit(first - 1)) first -= 1;
  return (code - first) % 10;
}

/** In the planes that have characters of scripts. */
const LAST_CODE = 0x1_ffff;
let digits: readonly (readonly string[])[] | undefined;

/** The digits of other scripts than ASCII, by what they count. */
export function digitsOfScripts(): readonly (readonly string[])[] {
  digits ??= allDigits();
  return digits;
}

function allDigits(): string[][] {
  const found = Array.from({ length: 10 }, (): string[] => []);
  for (let code = 0x80; code <= LAST_CODE; code += 1) {
    if (!isDigit(code)) continue;
    const digit = String.fromCodePoint(code);
    found[digitValue(digit)]?.push(digit);
  }
  return found;
}
