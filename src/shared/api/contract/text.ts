import { z } from 'zod';

/** No control characters: they have no place in a reference, and would act on the terminals and files that show it. */
const printable = /^[^\p{Cc}]*$/u;

/** A text field as Laravel words its errors; `name` is the field as the client knows it. */
export function text(name: string, max: number) {
  return z
    .string({
      error: (issue) => (issue.input === undefined ? required(name) : `The ${name} field must be a string.`),
    })
    .max(max, tooLong(name, max))
    .regex(printable, `The ${name} field must not hold control characters.`)
    .refine((value) => value.isWellFormed(), `The ${name} field must be valid Unicode.`);
}

/** One of a few words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(name: string, words: Words) {
  return z.enum(words, {
    error: (issue) =>
      issue.input === undefined
        ? required(name)
        : `The selected ${name} is invalid; it takes ${words.join(', ')}.`,
  });
}

export function tooLong(name: string, max: number): string {
  return `The ${name} field must not be greater than ${max} characters.`;
}

export function required(name: string): string {
  return `The ${name} field is required.`;
}
