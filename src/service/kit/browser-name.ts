/** `Firefox` and `Windows`, from a User-Agent; undefined if unknown. Every browser names others too, so the order matters. */
export function browserName(userAgent: string): [browser: string | undefined, system: string | undefined] {
  const first = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = first([
    ['Edge', /Edg/],
    ['Opera', /OPR/],
    ['Firefox', /Firefox|FxiOS/],
    ['Chrome', /Chrom|CriOS/],
    ['Safari', /Safari/],
  ]);
  const system = first([
    ['Windows', /Windows/],
    ['Android', /Android/],
    ['iOS', /iPhone|iPad/],
    ['macOS', /Mac OS/],
    ['ChromeOS', /CrOS/],
    ['Linux', /Linux/],
  ]);
  return [browser, system];
}
