import { plainText } from '../rules/plain-text.ts';
import { ChangeRefused } from '../store/change-refused.ts';
import { en } from '../words/en.ts';
import type { Words } from '../words/words.ts';
import type { CustomerStore } from './customer-store.ts';

/** Uses that a text names; it counts the others. */
const MOST_NAMED = 10;

/** What can have chosen a segment. They keep its name, and match nothing while no segment has it. */
export type SegmentStores = {
  readonly customers: CustomerStore;
  readonly webhooks: {
    list(
      account: number,
    ): Promise<
      readonly { readonly url: string; readonly filter: { readonly segments: readonly string[] } }[]
    >;
  };
  readonly notifications: {
    /** The names of users who want to hear of missed calls of a segment. */
    usersOf(account: number, segment: string): Promise<string[]>;
  };
};

/** What has chosen a segment: webhooks by their hosts, notifications by their users. */
type SegmentUses = { readonly hosts: readonly string[]; readonly users: readonly string[] };

export async function segmentUses(
  { webhooks, notifications }: Pick<SegmentStores, 'webhooks' | 'notifications'>,
  account: number,
  name: string,
): Promise<SegmentUses> {
  const chosen = (await webhooks.list(account)).filter(({ filter }) => filter.segments.includes(name));
  return {
    hosts: chosen.map(({ url }) => new URL(url).host),
    users: await notifications.usersOf(account, name),
  };
}

/** What a user must know before such a segment is removed; undefined if nothing has chosen it. */
export function usesText(
  { hosts, users }: SegmentUses,
  { segments: text, language }: Pick<Words, 'segments' | 'language'>,
): string | undefined {
  const uses = [...hosts.map(text.webhookTo), ...users.map(text.notificationsOf)];
  if (uses.length === 0) return undefined;
  const named = uses.slice(0, MOST_NAMED).map((use) => plainText(use, 80));
  const rest = uses.length - named.length;
  return text.chosen(
    new Intl.ListFormat(language).format([...named, ...(rest > 0 ? [text.more(rest)] : [])]),
  );
}

/** Which of the segments chosen somewhere do not exist; undefined if all do. */
export const missingText = (
  names: readonly string[],
  { segments: text, language }: Pick<Words, 'segments' | 'language'>,
): string | undefined =>
  names.length === 0
    ? undefined
    : text.missing(new Intl.ListFormat(language).format(names.map((name) => plainText(name, 80))));

/**
 * Removes a segment; its customers stay, without one. False if there is none. `force`: also one that webhooks or notifications have chosen. What
 * chooses it during the removal shows that it is missing.
 * @throws ChangeRefused 409 if something has chosen it
 */
export async function removeSegment(
  stores: SegmentStores,
  account: number,
  name: string,
  force: boolean,
): Promise<boolean> {
  if (!force && (await stores.customers.segment(account, name))) {
    const uses = await segmentUses(stores, account, name);
    const text = usesText(uses, en);
    if (text !== undefined)
      throw new ChangeRefused(
        409,
        `${text} Choose others there first, or remove it with ?force=true.`,
        (words) => usesText(uses, words) ?? '',
      );
  }
  return stores.customers.removeSegment(account, name);
}
