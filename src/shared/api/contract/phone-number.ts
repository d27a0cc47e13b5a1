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
  })
  .meta({ id: 'PriorityResult' });

export type PriorityResult = z.infer<typeof priorityResultSchema>;
