import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The forms in which a number (as `normaliseNumber` returns it) is usually written. */
export function numberForms(number: string): string[] {
  const parsed = number.startsWith('+') ? parsePhoneNumberFromString(number, { extract: false }) : undefined;
  if (parsed === undefined) return [number];
  const digits = number.slice(1);
  const national = parsed.formatNational();
  return [
    ...new Set([
      number,
      `00${digits}`,
      digits,
      parsed.formatInternational(),
      national,
      national.replace(/\D/g, ''),
    ]),
  ];
}
