import { z } from 'zod';
import { type Extensions, extensionsOf } from '../accounts/extensions.ts';
import type { User } from '../store/user-store.ts';

/** Which calls a user's bar shows and rings for: those that fit each of these. An empty list, and false, leave none out. */
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
 * As the bar's script has it: `mine` are the user's extensions, or null for all. A segment or an integration that is
 * gone would leave every call out, so it does not count.
 */
export async function barChoice(
  user: Pick<User, 'id' | 'bar'>,
  known: {
    readonly extensions: Extensions;
    readonly integrations: readonly { readonly id: number }[];
    segments(): Promise<readonly { readonly name: string }[]>;
  },
) {
  const { mine, segments, integrations } = barChoiceOf(user);
  const names = segments.length === 0 ? [] : (await known.segments()).map(({ name }) => name);
  return {
    mine: mine ? extensionsOf(known.extensions, user.id) : null,
    segments: segments.filter((name) => names.includes(name)),
    integrations: integrations.filter((one) => known.integrations.some(({ id }) => id === one)),
  };
}
