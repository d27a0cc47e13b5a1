import { limits } from './decisions.ts';
import { text } from './text.ts';

/** A phone number as a phone system writes it (decision `number-format`). `name` is the field that holds it. */
export function phoneNumber(name: string) {
  return text(name, limits.numberLength)
    .regex(/^\+?[ ().\-/*#]*\d[\d ().\-/*#]*$/, `The ${name} field must be a phone number.`)
    .meta({ description: 'A phone number, best in E.164.', examples: ['+4930901820'] });
}
