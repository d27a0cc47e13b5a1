import { createApiClient } from '../api/client.ts';
import type { JournalEntry } from '../calls/effect.ts';
import { apiSection } from '../config/api-section.ts';
import { callsSection } from '../config/calls-section.ts';
import { isUnset, loadConfig } from '../config/env.ts';
import { outboxSection } from '../config/outbox-section.ts';
import type { HistoryEntry } from '../delivery/history-page.ts';
import { createHistoryReader, HistoryUnreadable } from '../delivery/history-reader.ts';
import { maskNumbers } from '../log/redact.ts';
import type { Reader } from '../outbox/reader.ts';
import { normaliseNumber } from '../phone-number/normalise-number.ts';
import type { Context } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { farSideText } from './explain/api-history-text.ts';
import { type Line, type Story, storyOf, verdictOf } from './explain/timeline.ts';
import { clockTime } from './format-text.ts';
import { openState } from './open-state.ts';

export type ExplainOptions = {
  readonly showNumbers?: boolean;
  readonly offline?: boolean;
};

/** Calls that are offered when several are meant. */
const mostCalls = 20;

/** Tells one call's whole story: what was seen, decided, told and answered, and whether the far side has it. */
export async function explain(context: Context, what: string, options: ExplainOptions): Promise<number> {
  const { io, terminal, json } = context;
  const settings = loadConfig({ outbox: outboxSection, calls: callsSection }, io.environment());
  const reader = openState(context, settings.outbox.stateDir);
  if (reader === undefined) return exitCodes.failed;
  try {
    const found = find(reader, what, settings.calls);
    const [id, ...others] = found;
    const story = id === undefined ? undefined : storyOf(reader, id, settings.calls.pbxId);
    if (id === undefined || story === undefined) {
      context.complain(notKnown(what, settings.outbox.journalKeepMs));
      return exitCodes.nothing;
    }
    const farSide =
      options.offline || story.events.length === 0 ? undefined : await askFarSide(context, story.callId);
    const verdict = verdictOf(story, farSide);
    const show = options.showNumbers ? (text: string) => text : maskNumbers;
    if (json) {
      const lines = story.lines.map((line) => ({ ...line, text: show(line.text) }));
      terminal.json({ call: story.callId, ...verdict, lines, farSide, others });
    } else print(context, story, { farSide, verdict, others, show });
    return verdict.state === 'told' ? exitCodes.well : exitCodes.trouble;
  } finally {
    reader.close();
  }
}

/** Uniqueids that may be meant, the newest first: by call id, Uniqueid, Linkedid, or the caller's number. */
function find(
  reader: Reader,
  what: string,
  { pbxId, defaultCountry }: { pbxId: string; defaultCountry: string | undefined },
): string[] {
  const id = what.startsWith(`${pbxId}-`) ? what.slice(pbxId.length + 1) : what;
  // Asterisk's ids: seconds, a dot, a count; with systemname set, that before it and a dash.
  if (/\d{9,}\.\d+$/.test(id) || !/^[+\d\s()/-]{3,}$/.test(id)) return [id];
  const number = normaliseNumber(what, defaultCountry);
  const told = reader.callsFrom(number, mostCalls).map((callId) => callId.slice(pbxId.length + 1));
  const digits = number.replace(/^\+/, '').slice(-7);
  const seen = reader
    .journal([digits])
    .flatMap((line): string[] => {
      const { uniqueid, linkedid = uniqueid, number = '' } = JSON.parse(line) as JournalEntry;
      return number.replace(/\D/g, '').endsWith(digits) && linkedid === uniqueid ? [uniqueid] : [];
    })
    .reverse();
  return [...new Set([...told, ...seen])].sort(newestFirst).slice(0, mostCalls);
}

function newestFirst(a: string, b: string): number {
  const [at, bt] = [a, b].map((id) => Number.parseFloat(/(\d{9,}\.\d+)$/.exec(id)?.[1] ?? '0'));
  return (bt ?? 0) - (at ?? 0);
}

function notKnown(what: string, keepMs: number): string {
  if (keepMs === 0) return `nothing is known of ${what}: JOURNAL_KEEP is 0s, so nothing is written down`;
  const days = Math.round(keepMs / 86_400_000);
  return `nothing is known of ${what}: no such channel was seen in the last ${days} days (JOURNAL_KEEP). Was the bridge running and its link up then? pbx-bridge check --call shows whether calls are seen now.`;
}

async function askFarSide({ io }: Context, callId: string): Promise<HistoryEntry[] | string> {
  const environment = io.environment();
  if (isUnset(['API_BASE_URL', 'API_TOKEN'], environment))
    return 'not asked: API_BASE_URL and API_TOKEN are not set here';
  const client = createApiClient({ ...loadConfig({ api: apiSection }, environment).api, connections: 1 });
  try {
    return await createHistoryReader(client.history).entriesOf(callId);
  } catch (error) {
    if (error instanceof HistoryUnreadable) return `not known: ${error.message}`;
    throw error;
  } finally {
    await client.close();
  }
}

type Found = {
  readonly farSide: HistoryEntry[] | string | undefined;
  readonly verdict: ReturnType<typeof verdictOf>;
  readonly others: readonly string[];
  readonly show: (text: string) => string;
};

const signs: Readonly<Record<Line['what'], readonly [string, 'dim' | 'bold' | 'green' | 'red' | 'yellow']>> =
  {
    seen: ['seen     ', 'dim'],
    decided: ['decided  ', 'bold'],
    delivered: ['delivered', 'green'],
    failed: ['failed   ', 'red'],
  };

function print({ terminal }: Context, story: Story, { farSide, verdict, others, show }: Found): void {
  const { paint } = terminal;
  const now = Date.now();
  terminal.wrapped('', `call ${story.callId}`, 0);
  const timeWidth = Math.max(...story.lines.map(({ at }) => clockTime(at, now).length), 8);
  for (const { at, what, text } of story.lines) {
    const [sign, colour] = signs[what];
    const head = `${clockTime(at, now).padEnd(timeWidth)} ${paint(colour, sign)} `;
    terminal.wrapped(head, show(text), timeWidth + 11);
  }
  if (farSide !== undefined) terminal.wrapped('far side: ', show(farSideText(farSide, now)), 10);
  const colour = verdict.state === 'told' ? 'green' : verdict.state === 'waiting' ? 'yellow' : 'red';
  terminal.print();
  terminal.wrapped(`${paint(colour, verdict.state.toUpperCase())}: `, show(verdict.why), 2);
  if (others.length > 0) terminal.wrapped('', `This is the newest. Also meant: ${others.join(', ')}`, 2);
}
