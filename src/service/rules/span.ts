/** Symbols that every language has; each with its length and the spans below which it is taken, ms. */
const units = [
  ['s', 1000, 90_000],
  ['min', 60_000, 5_400_000],
  ['h', 3_600_000, 129_600_000],
  ['day', 86_400_000, Number.POSITIVE_INFINITY],
] as const;

/** `5 s`, `25 min`, `3 h`, `2 days`: a span of ms in its largest whole unit. */
export function spanText(ms: number, locale: string): string {
  const [unit, length] = units.find(([, , below]) => ms < below) ?? units[3];
  const count = Math.round(ms / length);
  return unit === 'day'
    ? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
    : `${new Intl.NumberFormat(locale).format(count)}\u00a0${unit}`;
}
