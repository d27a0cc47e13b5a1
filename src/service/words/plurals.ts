/** Counts things in a language: `count(2, 'call', 'calls')` is `2 calls`. */
export function plurals(language: string) {
  // Made for the first count: five languages would take 30 ms of each start.
  let made: { rules: Intl.PluralRules; digits: Intl.NumberFormat } | undefined;
  return (count: number, one: string, other: string): string => {
    made ??= { rules: new Intl.PluralRules(language), digits: new Intl.NumberFormat(language) };
    return `${made.digits.format(count)} ${made.rules.select(count) === 'one' ? one : other}`;
  };
}
