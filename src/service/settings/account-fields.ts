import { z } from 'zod';
import { countries, isCountry } from '../../shared/phone-number/normalise-number.ts';
import { choice, type FieldErrors } from '../kit/form.ts';
import { machineZone } from '../kit/formats.ts';
import { isTimeZone } from '../rules/time-zone.ts';
import { type Html, html } from '../words/html.ts';
import { formError, languages, type Words } from '../words/words.ts';

const orNull = (text: string) => text || null;

/** The country and the time zone of an account; null for none. */
export const placeSchema = {
  country: z
    .string()
    .refine((code) => code === '' || isCountry(code), formError('choose'))
    .transform(orNull),
  zone: z
    .string()
    .refine((zone) => zone === '' || isTimeZone(zone), formError('choose'))
    .transform(orNull),
};

/** Their fields, as lists; client/choose-own-place.ts chooses the browser's in an empty one. */
export function placeFields(
  { account: text, locale, common }: Words,
  { country, zone }: { country: string; zone: string },
  errors: FieldErrors | undefined,
): Html {
  const nameOf = new Intl.DisplayNames(locale, { type: 'region' });
  const named = countries().map((code) => [code, nameOf.of(code) ?? code] as const);
  named.sort(([, a], [, b]) => a.localeCompare(b, locale));
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...(zone ? [zone] : [])]);
  return html`
    ${choice({ label: text.country, name: 'country', value: country, errors, options: [['', common.none], ...named], hint: text.countryHint })}
    ${choice({
      label: text.zone,
      name: 'zone',
      value: zone,
      errors,
      options: [['', text.serverZone(machineZone())], ...Array.from(zones, (name) => [name, name] as const)],
    })}`;
}

/** A user's language; '' for the browser's. */
export const languageSchema = z
  .string()
  .catch('')
  .transform((name) => (languages.has(name) ? name : ''));

export function languageField(text: Words['account'], value: string): Html {
  const all = Array.from(
    languages.values(),
    ({ language, languageName }) => [language, languageName] as const,
  );
  return choice({ label: text.language, name: 'language', value, options: [['', text.asInBrowser], ...all] });
}
