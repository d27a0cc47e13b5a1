import { z } from 'zod';
import { limits } from './decisions.ts';
import { text } from './text.ts';

/**
 * A phone number as a phone system writes it (decision `number-format`). `name` is the field that holds it. Which digits
 * are the number is for `shared/phone-number/` to read; here there must be some.
 */
export function phoneNumber(name: string) {
  return text(name, limits.numberLength)
    .regex(/\p{Nd}/u, notANumber(name))
    .meta({ description: 'A phone number, best in E.164.', examples: ['+4930901820'] });
}

export const notANumber = (name: string) => `The ${name} field must be a phone number.`;

/** Part 4.2; decision `priority-parameter`. */
export const priorityQuerySchema = z.object({ number: phoneNumber('number') });

/** Part 2, "Priority result"; decision `priority-result`. */
export const priorityResultSchema = z
  .object({
    priority: z
      .int()
      .nullable()
      .describe("The segment's priority, larger is more important; null if none matches."),
    segment: z.string().nullable().describe("The segment's name; null if none matches."),
    name: z.string().nullable().describe("The customer's name; null if no customer matches."),
    language: z
      .string()
      .nullable()
      .describe("The customer's language (ISO 639-1), such as `de`; null if it is not known."),
    blocked: z.boolean().describe('The office does not want calls of this customer.'),
    last_extension: z
      .string()
      .nullable()
      .describe(
        'The `caller_id` of the last answered call of the number, or of another number of its customer; null if there is none.',
      ),
    last_answered_at: z
      .int()
      .nullable()
      .describe('When that call was answered, Unix milliseconds; null if there is none.'),
    callback_extension: z
      .string()
      .nullable()
      .describe(
        'The extension of the user who has taken the caller to call back; null if nobody has, or the user has no extension.',
      ),
  })
  .meta({ id: 'PriorityResult' });

export type PriorityResult = z.infer<typeof priorityResultSchema>;
