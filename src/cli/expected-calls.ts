import type { JournalEntry, JournalEvent } from '../bridge/calls/effect.ts';
import { answererOf } from '../bridge/calls/open-call.ts';
import { missedText } from '../bridge/calls/place.ts';
import { matchesStars } from '../shared/phone-number/star-pattern.ts';

// What replay finds in a recording, a line a call, as people write it: `+4930123456 -> answered by 101`. `replay --calls`
// prints such lines, and `replay --expect` compares them with a file.

type Ringing = Extract<JournalEvent, { code: 'ringing' }>;
type Answered = Extract<JournalEvent, { code: 'answered' }>;
type Completed = Extract<JournalEvent, { code: 'completed' }>;

/**
 * A line for each inbound call of a journal, in the order in which they began. `lookedUp`: the Uniqueids of calls whose
 * priority the dialplan had asked for before it dialled.
 */
export function callLines(
  journal: readonly JournalEntry[],
  lookedUp: ReadonlySet<string> = new Set(),
): string[] {
  const calls = Map.groupBy(
    journal.filter(({ kind, call }) => call !== undefined && /^(?:not-)?reported$/.test(kind)),
    ({ call }) => call,
  );
  return [...calls.values()].flatMap((entries) => {
    const line = lineOf(entries);
    const asked = lookedUp.has(entries[0]?.uniqueid ?? '') ? ', priority asked first' : '';
    return line === undefined ? [] : [withSingleBlanks(line + asked)];
  });
}

/** Undefined for a call that the PBX made itself. */
function lineOf(entries: readonly JournalEntry[]): string | undefined {
  const events = entries.map(({ event }) => event);
  const ringing = events.find((event): event is Ringing => event.code === 'ringing');
  const answered = events.find((event): event is Answered => event.code === 'answered');
  const completed = events.find((event): event is Completed => event.code === 'completed');
  if (ringing === undefined) {
    const { decision, why = '' } = events.findLast((event) => event.code === 'decision') ?? {};
    if (decision === 'not-inbound') return undefined;
    if (decision === 'ignored') return `${entries.find(({ number }) => number)?.number ?? '?'} -> ignored`;
    const lacks = / WITHHELD_NUMBER is not set$/.test(why) ? 'withheld' : 'absent';
    return `${noNumbers[lacks]} -> not reported`;
  }
  const caller =
    ringing.number === 'known' || ringing.number === 'awaited' ? ringing.from : noNumbers[ringing.number];
  return `${caller} -> ${outcome(answered, completed)}${completed === undefined ? ', not ended' : ''}`;
}

const noNumbers = { withheld: 'withheld', absent: 'no number' } as const;

function outcome(answered: Answered | undefined, completed: Completed | undefined): string {
  const last = completed?.answer;
  if (answered === undefined && last === undefined)
    return completed === undefined ? 'ringing' : missedAt(completed);
  const first = answered === undefined ? last?.callerId : answered.by;
  const isHandedOn = last?.callerId !== undefined && last.callerId !== first;
  return `answered ${answererOf(first)}${isHandedOn ? `, then ${last.callerId}` : ''}`;
}

/** Without how long and by whom: that differs each time. */
function missedAt({ missed = {} }: Completed): string {
  const { where, name } = missed;
  return missedText({ where, name }).replace(/^missed: ended/, 'missed');
}

/** Numbers without their last six digits, which a recording hides: the line then matches the call in any recording. */
export function maskedLine(line: string): string {
  return line.replace(/\d{7,}/g, (digits) => `${digits.slice(0, -6)}*`);
}

/** Blanks do not count in a file, and names may have several. */
const withSingleBlanks = (line: string): string => line.trim().replace(/\s+/g, ' ');

const callerPattern = String.raw`(?:withheld|no number|\+?[\d*]+)`;
const outcomePattern = `(?:not reported|ignored|ringing|answered (?:by [^,]+?|elsewhere)(?:, then [^,]+?)?|missed(?: (?:at|in|by) .+?)?)`;
const linePattern = new RegExp(
  `^${callerPattern} -> ${outcomePattern}(?:, not ended)?(?:, priority asked first)?$`,
);

/**
 * The lines of a file of expected calls; empty ones and those that begin with `#` are left out.
 * @throws Error that names the first line that is none.
 */
export function parseExpected(text: string): string[] {
  return text.split(/\r?\n/).flatMap((written, at) => {
    const line = withSingleBlanks(written);
    if (line === '' || line.startsWith('#')) return [];
    if (!linePattern.test(line))
      throw new Error(
        `line ${at + 1} is not a call such as +4930* -> answered by 101, or withheld -> missed in queue 400`,
      );
    return [line];
  });
}

/** `same`: as expected; `lacks`: expected and not found; `found`: not expected. */
export type DiffLine = { readonly is: 'same' | 'lacks' | 'found'; readonly line: string };

/** The shortest way from the expected lines to those that were found. */
export function compareCalls(expected: readonly string[], found: readonly string[]): DiffLine[] {
  /** By how many expected and found lines are left: how many of them can be the same. */
  const most = Array.from({ length: expected.length + 1 }, () => new Uint32Array(found.length + 1));
  const at = (e: number, f: number) => most[e]?.[f] ?? 0;
  /** In a line, `*` stands for any characters. */
  const isSame = (e: number, f: number) => matchesStars(expected[e] as string, found[f] as string);
  for (let e = expected.length - 1; e >= 0; e--)
    for (let f = found.length - 1; f >= 0; f--)
      (most[e] as Uint32Array)[f] = isSame(e, f)
        ? 1 + at(e + 1, f + 1)
        : Math.max(at(e + 1, f), at(e, f + 1));
  const lines: DiffLine[] = [];
  for (let e = 0, f = 0; e < expected.length || f < found.length; ) {
    if (e < expected.length && f < found.length && isSame(e, f)) {
      lines.push({ is: 'same', line: found[f] as string });
      [e, f] = [e + 1, f + 1];
    } else if (e < expected.length && (f === found.length || at(e + 1, f) >= at(e, f + 1)))
      lines.push({ is: 'lacks', line: expected[e++] as string });
    else lines.push({ is: 'found', line: found[f++] as string });
  }
  return lines;
}
