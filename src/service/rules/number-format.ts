const made = new Map<string, Intl.NumberFormat>();

/** Made once for a language and its options: to make one takes as long as to write hundreds of numbers. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat(locale, options);
  made.set(key, format);
  return format;
}
