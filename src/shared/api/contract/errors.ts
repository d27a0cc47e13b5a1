import { z } from 'zod';

/** Every refusal but 422. Decisions `always-json`, `broken-json`, `unknown-path`... */
export const errorSchema = z.object({ message: z.string() }).meta({ id: 'Error' });

export type ErrorBody = z.infer<typeof errorSchema>;

/** 422: what is wrong, by field. Decision `invalid-input`. */
export const validationErrorSchema = z
  .object({ message: z.string(), errors: z.record(z.string(), z.array(z.string())) })
  .meta({ id: 'ValidationError' });

export type ValidationErrorBody = z.infer<typeof validationErrorSchema>;

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string };

/** The body of a 422 as Laravel words it: the first error, how many more there are, and all of them by field. */
export function validationError(issues: readonly Issue[]): ValidationErrorBody {
  const errors: Record<string, string[]> = {};
  for (const issue of issues) {
    const field = issue.path.join('.');
    errors[field] = [...(errors[field] ?? []), issue.message];
  }
  const first = issues[0]?.message ?? 'The given data was invalid.';
  const more = issues.length - 1;
  const tail = more > 0 ? ` (and ${more} more error${more > 1 ? 's' : ''})` : '';
  return { message: first + tail, errors };
}
