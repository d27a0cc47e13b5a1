import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { required, text, tooLong } from '../../shared/api/contract/text.ts';
import { formError } from '../words/words.ts';

/** Text that is longer than its limit times this is refused as it is: normalising many MB takes seconds. */
const MAX_RAW = 16;

/** Places where words may be broken, and byte order marks: invisible on pages. */
export const withoutInvisible = (text: string): string => text.replace(/[\u00ad\u200b\u2060\ufeff]/g, '');

/**
 * The rule for names, references and segments, wherever they come from: forms, /admin, CSV, commands. One line of text in
 * Unicode's normal form NFC: white space is one blank, and invisible characters are removed, so that equal names are equal texts;
 * control characters, half characters and U+FFFD (something that could not be read) are refused. `blank`: may be empty;
 * `keepsInvisible`: invisible characters stay.
 */
export function line(
  field: string,
  {
    max = limits.referenceLength,
    blank = false,
    keepsInvisible = false,
  }: { max?: number; blank?: boolean; keepsInvisible?: boolean } = {},
) {
  const oneLine = (value: unknown, context: z.core.$RefinementCtx) => {
    if (typeof value !== 'string') return value;
    if (value.length > max * MAX_RAW) {
      const message = tooLong(field, max);
      context.issues.push({ code: 'too_big', origin: 'string', maximum: max, input: '', message });
      return z.NEVER;
    }
    const visible = keepsInvisible ? value : withoutInvisible(value);
    return visible.normalize().replace(/\s+/g, ' ').trim();
  };
  return z.preprocess(
    oneLine,
    text(field, max)
      .min(blank ? 0 : 1, required(field))
      .refine((value) => !value.includes('\ufffd'), `The ${field} field must be valid Unicode (UTF-8).`),
  );
}

/** The name of a user, that cannot be mistaken for another: every character is visible, and no word mixes alphabets. */
export function personName(field: string, max: number) {
  return line(field, { max, keepsInvisible: true })
    .refine((name) => !invisible.test(name), formError('invalid'))
    .refine(
      (name) => !name.split(' ').some((word) => latin.test(word) && lookAlike.test(word)),
      formError('mixedAlphabets'),
    );
}

const invisible = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
const latin = /\p{Script=Latin}/u;
const lookAlike = /[\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** A user's name as it is compared: without regard to case, width and invisible characters (about Unicode's NFKC_Casefold). */
export function comparable(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .toUpperCase() // ß is ss, as in Unicode's case folding
    .toLowerCase()
    .normalize('NFKC');
}

/** Reads a query string (for a form, see `urlEncodedFields`). NUL, which PostgreSQL cannot store or compare, becomes U+FFFD, as in HTML. */
export function parseQuery(encoded: string): URLSearchParams {
  return new URLSearchParams(withoutNul(encoded));
}

/** A form, query string or path whose NULs are U+FFFD. */
export function withoutNul(encoded: string): string {
  return encoded.replace(/\0|%00/g, '%EF%BF%BD');
}
