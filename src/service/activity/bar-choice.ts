import { z } from 'zod';
import type { Extensions } from '../accounts/account.ts';
import { extensionsOf } from '../accounts/extensions.ts';
import type { User } from '../accounts/user.ts';
import type { ScreenChoice } from '../rules/screen-call.ts';

/**
 * Filters of the calls that a user's bar shows and rings for: a call must match all. An empty list, or false, matches
 * every call.
 */
const stored = z.object({
  mine: z.boolean(),
  segments: z.array(z.string()),
  /** Ids. */
  integrations: z.array(z.number()),
});
export type BarChoice = z.infer<typeof stored>;

const everything: BarChoice = { mine: false, segments: [], integrations: [] };

export function barChoiceOf({ bar }: Pick<User, 'bar'>): BarChoice {
  return bar === null ? everything : stored.parse(JSON.parse(bar));
}

/** As `UserStore.setBar` takes it. */
export const barChoiceText = (choice: BarChoice): string | null =>
  choice.mine || choice.segments.length > 0 || choice.integrations.length > 0 ? JSON.stringify(choice) : null;

/**
 * The same for the bar's script: `mine` are the user's extensions, or null for all. Segments and integrations that no
 * longer exist are left out, since they would match no call.
 */
export function barChoice(
  user: Pick<User, 'id' | 'bar'>,
  known: {
    readonly extensions: Extensions;
    readonly integrations: readonly { readonly id: number }[];
    readonly segments: readonly { readonly name: string }[];
  },
): ScreenChoice {
  const { mine, segments, integrations } = barChoiceOf(user);
  const names = known.segments.map(({ name }) => name);
  return {
    mine: mine ? extensionsOf(known.extensions, user.id) : null,
    segments: segments.filter((name) => names.includes(name)),
    integrations: integrations.filter((one) => known.integrations.some(({ id }) => id === one)),
  };
}
