import { numberFormat } from './number-format.ts';

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
    ? numberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
    : `${numberFormat(locale).format(count)}\u00a0${unit}`;
}

/** From here on, a wait is long. */
export const LONG_WAIT_MS = 3_600_000;

/** `1 min`, `52 min`, `1 h 10 min`, `14 h`, `2 days`: how long somebody has waited, in whole units that have passed. */
export function waitText(ms: number, locale: string): string {
  const minutes = Math.max(1, Math.floor(ms / 60_000));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const counted = (count: number, unit: string) => `${numberFormat(locale).format(count)}\u00a0${unit}`;
  if (hours === 0) return counted(minutes, 'min');
  if (hours >= 48) return spanText(Math.floor(hours / 24) * 86_400_000, locale);
  return hours >= 10 || rest === 0 ? counted(hours, 'h') : `${counted(hours, 'h')} ${counted(rest, 'min')}`;
}
