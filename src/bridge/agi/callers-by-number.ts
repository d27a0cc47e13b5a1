import { addTo, removeFrom } from '../../shared/process/multimap.ts';
import { type Channel, presentedBy } from '../calls/channel.ts';
import type { OpenCall } from '../calls/open-call.ts';

/** What was dialled and what is stored differ in their first digits only: the last seven say which number it is. */
const TELLING_DIGITS = 7;

export function tellingDigits(number: string): string {
  return number.replace(/\D+/g, '').slice(-TELLING_DIGITS);
}

/** The texts of its number: as the trunk presented it, and as it is now; '' if there is none. */
export const numbersOf = (channel: Channel): readonly string[] => [
  presentedBy(channel) ?? '',
  channel.number ?? '',
];

export type CallersByNumber = Pick<ReturnType<typeof createCallersByNumber>, 'unsettled' | 'withText'>;

/**
 * The callers of open calls by their numbers, as Uniqueids: a lookup must not take longer the more calls there are. Calls
 * whose number may be sent are kept apart: thousands of one caller must not hide the one that is not known yet.
 */
export function createCallersByNumber(isGranted: (call: OpenCall, channel: Channel) => boolean) {
  const unsettled = new Map<string, Set<string>>();
  const byText = new Map<string, Set<string>>();
  const keysOf = new Map<string, { readonly digits: readonly string[]; readonly texts: readonly string[] }>();

  function remove(uniqueid: string): void {
    const { digits = [], texts = [] } = keysOf.get(uniqueid) ?? {};
    for (const key of digits) removeFrom(unsettled, key, uniqueid);
    for (const key of texts) removeFrom(byText, key, uniqueid);
    keysOf.delete(uniqueid);
  }

  return {
    /** Call it when the call or its channel may have changed; without both it is forgotten. */
    update(uniqueid: string, call: OpenCall | undefined, channel: Channel | undefined): void {
      remove(uniqueid);
      if (call === undefined || channel === undefined) return;
      const texts = numbersOf(channel);
      // A caller without a number is none of those that a text without digits could name.
      const named =
        presentedBy(channel) === undefined ? texts.filter((text) => tellingDigits(text) !== '') : texts;
      const digits = isGranted(call, channel) ? [] : named.map(tellingDigits);
      for (const key of digits) addTo(unsettled, key, uniqueid);
      for (const key of texts) addTo(byText, key, uniqueid);
      keysOf.set(uniqueid, { digits, texts });
    },
    clear() {
      for (const table of [unsettled, byText, keysOf]) table.clear();
    },
    /** Callers with such a number who may withhold it. */
    unsettled: (number: string): Iterable<string> => unsettled.get(tellingDigits(number)) ?? [],
    /** A caller whose number is written exactly so. */
    withText: (number: string): string | undefined => byText.get(number)?.values().next().value,
  };
}
