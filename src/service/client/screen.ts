import type { ScreenChoice } from '../rules/screen-call.ts';
import type { Words } from '../words/words.ts';

/** What the page says to its calls now: the attributes of #now (kit/layout.ts). */
export type Screen = ReturnType<typeof screenOf>;

export function screenOf(root: HTMLElement) {
  const { dataset } = root;
  const words: Words['bar'] = JSON.parse(dataset.words ?? '{}');
  const choice: ScreenChoice = JSON.parse(dataset.choice ?? 'null');
  /** Those of the user. */
  const extensions: readonly string[] = JSON.parse(dataset.extensions ?? '[]');
  const {
    token = '',
    uid = '',
    zone: timeZone,
    locale = 'en',
    icons = '',
    worker = '',
    first,
    user,
  } = dataset;
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options });
  const time = format({ hour: '2-digit', minute: '2-digit' });
  const day = format({ weekday: 'short' });
  const date = format({ day: 'numeric', month: 'short' });
  const longDate = format({ day: 'numeric', month: 'short', year: 'numeric' });
  const weekday = format({ weekday: 'long' });
  return {
    words,
    choice,
    extensions,
    token,
    /** Of the user. */
    uid,
    locale,
    icons,
    worker,
    user,
    /** The segment that stands out. */
    firstSegment: first,
    isAlone: dataset.alone !== undefined,
    /** When the page was made, by the server's clock: what has changed since is not on it. */
    made: Number(dataset.made),
    /** `10:14`, or `Mon 10:14` of another day. */
    clock: (at: number, now: number): string =>
      day.format(at) === day.format(now) ? time.format(at) : `${day.format(at)} ${time.format(at)}`,
    weekday: (at: number): string => weekday.format(at),
    /** `10:14` of today, `Tuesday` of this week, else `9 Nov`. */
    day: (at: number, now: number): string => {
      const days = (now - at) / 86_400_000;
      if (date.format(at) === date.format(now)) return time.format(at);
      return days < 6 ? weekday.format(at) : (days < 300 ? date : longDate).format(at);
    },
  };
}
