import { z } from 'zod';
import { phoneNumber } from './phone-number.ts';

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
