/** Counts things in a language: `count(2, 'call', 'calls')` is `2 calls`. */
export function plurals(language: string) {
  const rules = new Intl.PluralRules(language);
  const digits = new Intl.NumberFormat(language);
  return (count: number, one: string, other: string): string =>
    `${digits.format(count)} ${rules.select(count) === 'one' ? one : other}`;
}
