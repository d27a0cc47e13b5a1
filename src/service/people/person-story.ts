import type { UserRequest } from '../accounts/user-request.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { type CallStore, noFilter } from '../calls/call-store.ts';
import { dateAt, dateIn, mondayOf, type Span, startOf } from '../kit/calendar.ts';
import { Refusal } from '../kit/refusal.ts';
import { hasWords, searchWords } from '../kit/search-text.ts';
import { withoutUndone } from './call-backs.ts';
import type { StoredAction } from './caller-action-store.ts';
import type { CallerStore } from './caller-store.ts';
import type { Person } from './person.ts';

const PER_PAGE = 30;
/** Notes that one search reads; it goes on from there. */
const SEARCHED = 300;
/** Weeks that are counted, and calls: with more, nobody wants to see them as bars. */
const [WEEKS, MAX_COUNTED] = [12, 2_000];

export const storyKinds = ['all', 'notes', 'calls', 'missed'] as const;

/** What of a person's story is wanted, as the address says it. */
export type StoryChoice = {
  readonly show: (typeof storyKinds)[number];
  /** As typed. */
  readonly search: string;
  /** Notes that have all of these are wanted. */
  readonly words: readonly string[];
  /** The Monday of the only week that is wanted. */
  readonly week: Temporal.PlainDate | undefined;
  /** From there to before then, Unix ms. */
  readonly span: Span;
};

export type Moment = { readonly at: number } & (
  | { readonly call: CallRecord }
  | { readonly action: StoredAction }
);

export type Story = {
  /** Newest first. */
  readonly moments: readonly Moment[];
  /** Where the next page begins, Unix ms; null at the end. */
  readonly older: number | null;
};

type StoryStore = { readonly calls: CallStore; readonly callers: CallerStore };

export function storyChoice({
  query,
  formats,
  account,
}: Pick<UserRequest, 'query' | 'formats'> & {
  readonly account: Pick<UserRequest['account'], 'country'>;
}): StoryChoice {
  const until = query.get('until');
  if (until !== null && !/^\d{1,15}$/.test(until)) throw new Refusal(400, (errors) => errors.notPossible);
  const day = dateIn(query.get('week'));
  const week = day && mondayOf(day);
  const { timeZone } = formats;
  const search = (query.get('q') ?? '').trim();
  const end = until === null ? Number.MAX_SAFE_INTEGER : Number(until);
  return {
    show: storyKinds.find((kind) => kind === query.get('show')) ?? 'all',
    search,
    words: searchWords(search, account.country),
    week,
    span: {
      since: week ? startOf(week, timeZone) : 0,
      until: week ? Math.min(end, startOf(week.add({ days: 7 }), timeZone)) : end,
    },
  };
}

/** The calls, notes and call-backs of all numbers of a person that are wanted, a page of them. */
export function readStory(
  store: StoryStore,
  account: number,
  person: Person,
  choice: StoryChoice,
): Promise<Story> {
  if (choice.search !== '') return findNotes(store, account, person, choice);
  return choice.show === 'notes'
    ? readNotes(store, account, person, choice)
    : readMoments(store, account, person, choice);
}

/**
 * A page of moments, newest first, and where the next one begins, Unix ms. `known`: all that happened later is among them; -1: all
 * is. What happened at one moment is on one page.
 */
function pageOf<One extends { readonly at: number }>(all: readonly One[], perPage: number, known: number) {
  const from = Math.max(known + 1, all[perPage - 1]?.at ?? 0);
  const shown = all.filter(({ at }) => at >= from);
  const isLast = known < 0 && shown.length === all.length;
  // Of more than a page at one moment, the rest is not looked for.
  return shown.length === 0 && known >= 0
    ? { shown: all.filter(({ at }) => at >= known), older: known }
    : { shown, older: isLast ? null : from };
}

/** The newest notes about a person in a span, newest first. */
async function notesAbout(
  { callers }: StoryStore,
  account: number,
  numbers: readonly string[],
  { since, until }: Span,
  limit: number,
) {
  const before = { at: until, id: 0 };
  const notes = await callers.notes(account, { numbers, since, before, limit: limit + 1 });
  const { shown, older } = pageOf(notes, limit, notes[limit]?.at ?? -1);
  return { notes: shown, older };
}

const noteMoments = (notes: readonly Omit<StoredAction, 'kind'>[]): Moment[] =>
  notes.map((note) => ({ at: note.at, action: { ...note, kind: 'note' } }));

async function readNotes(store: StoryStore, account: number, { numbers }: Person, { span }: StoryChoice) {
  const { notes, older } = await notesAbout(store, account, numbers, span, PER_PAGE);
  return { moments: noteMoments(notes), older };
}

async function findNotes(
  store: StoryStore,
  account: number,
  { numbers }: Person,
  { span, words }: StoryChoice,
): Promise<Story> {
  const { notes, older } = await notesAbout(store, account, numbers, span, SEARCHED);
  return { moments: noteMoments(notes.filter(({ text }) => hasWords(text, words))), older };
}

async function readMoments(
  store: StoryStore,
  account: number,
  { customer, numbers }: Person,
  { show, span }: StoryChoice,
): Promise<Story> {
  const [number = ''] = numbers;
  const who = customer ? { customer: { is: customer.reference } } : { number: { is: number } };
  const [page, actions] = await Promise.all([
    store.calls.page({
      account,
      filter: { ...noFilter, ...who, ...span, ...(show === 'missed' && { outcome: 'missed' }) },
      towards: 'older',
      from: null,
      limit: PER_PAGE + 1,
    }),
    show === 'all' ? store.callers.actions(account, { numbers, until: span.until }, PER_PAGE + 1) : [],
  ]);
  const ends = page.calls.flatMap(({ missed, completedAt }) => (missed ? (completedAt ?? []) : []));
  const all: Moment[] = [
    ...page.calls.map((call) => ({ at: call.startedAt, call })),
    ...withoutUndone(actions, ends)
      .filter(({ kind }) => ['note', 'done', 'talked', 'tried'].includes(kind))
      .map((action) => ({ at: action.at, action })),
  ]
    .filter(({ at }) => at >= span.since)
    .sort((a, b) => b.at - a.at);
  // As far as the shorter of the lists has come.
  const known = Math.max(page.next?.at ?? -1, actions.length > PER_PAGE ? (actions[0]?.at ?? 0) : -1);
  const { shown, older } = pageOf(all, PER_PAGE, known);
  return { moments: shown, older: older !== null && older <= span.since ? null : older };
}

export type StoryDay = {
  /** Of one of its moments, Unix ms. */
  readonly at: number;
  readonly moments: readonly Moment[];
  /** Whether it is one line that can be opened: nothing was said on a day that is over. */
  readonly folded: boolean;
};

const isNote = (one: Moment) => 'action' in one && one.action.kind === 'note';

/** The days of a story, the newest first. `fold`: days of calls alone become one line each. */
export function storyDays(
  moments: readonly Moment[],
  { timeZone, now, fold }: { readonly timeZone: string; readonly now: number; readonly fold: boolean },
): StoryDay[] {
  const today = dateAt(now, timeZone).toString();
  const days = Map.groupBy(moments, ({ at }) => dateAt(at, timeZone).toString());
  return Array.from(days, ([day, ofDay]) => ({
    at: ofDay[0]?.at ?? 0,
    moments: ofDay,
    folded: fold && day !== today && ofDay.filter((one) => 'call' in one).length > 1 && !ofDay.some(isNote),
  }));
}

export type StoryWeek = {
  readonly monday: Temporal.PlainDate;
  readonly calls: number;
  readonly missed: number;
};

/** How often a person called in each of the last weeks, the oldest first; none if that is too often to count, or never. */
export async function readWeeks(
  { callers }: Pick<StoryStore, 'callers'>,
  account: number,
  { numbers }: Person,
  { timeZone, now }: { readonly timeZone: string; readonly now: number },
): Promise<StoryWeek[]> {
  const today = dateAt(now, timeZone);
  const first = mondayOf(today).subtract({ weeks: WEEKS - 1 });
  const since = startOf(first, timeZone);
  const calls = await callers.callTimes(account, numbers, since, MAX_COUNTED);
  if (calls.length === 0 || calls.length === MAX_COUNTED) return [];
  const weeks = Array.from({ length: WEEKS }, (_, week) => ({
    monday: first.add({ weeks: week }),
    calls: 0,
    missed: 0,
  }));
  for (const { at, missed } of calls) {
    const week = weeks[Math.floor(first.until(dateAt(at, timeZone)).days / 7)];
    if (week === undefined) continue;
    week.calls += 1;
    if (missed) week.missed += 1;
  }
  return weeks;
}
