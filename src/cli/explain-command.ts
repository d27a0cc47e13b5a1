import { readDialplanLine } from '../bridge/ami/dialplan-line.ts';
import type { Reader } from '../bridge/outbox/reader.ts';
import { type DamagedFile, newestDamaged } from '../bridge/outbox/recovery/damaged-file.ts';
import { databasePath } from '../bridge/outbox/tables/database.ts';
import type { HistoryEntry } from '../shared/delivery/history-page.ts';
import { createHistoryReader, HistoryUnreadable } from '../shared/delivery/history-reader.ts';
import { maskNumbers } from '../shared/log/redact.ts';
import { normaliseNumber } from '../shared/phone-number/normalise-number.ts';
import { systemClock } from '../shared/process/clock.ts';
import { type Context, exitCodes, openState } from './command-context.ts';
import { amiSection } from './config/ami-section.ts';
import { apiSection } from './config/api-section.ts';
import { callsSection } from './config/calls-section.ts';
import { isUnset, loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';
import type { Environment } from './config/variable.ts';
import { type Elsewhere, elsewhereOf } from './explain/elsewhere.ts';
import { isMissedEnd, type StoredEntry } from './explain/journal-text.ts';
import { conclusionOf, type Line, type Timeline, timelineOf } from './explain/timeline.ts';
import { clockTime } from './text/format-text.ts';
import { unitOf } from './unit-state.ts';

type ExplainOptions = {
  readonly showNumbers?: boolean;
  readonly offline?: boolean;
};

/** Calls listed when several match. */
const maxCalls = 20;

/** Explains one call: what was seen, decided and delivered, and whether the API's request history has it. */
export async function explain(context: Context, what: string, options: ExplainOptions): Promise<number> {
  const { io, terminal, json } = context;
  const settings = loadConfig({ outbox: outboxSection, calls: callsSection }, io.environment());
  using reader = openState(context, settings.outbox.stateDir);
  if (reader === undefined) return exitCodes.failed;
  const found = find(reader, what, settings.calls);
  const [id, ...others] = found;
  const timeline = id === undefined ? undefined : timelineOf(reader, id, settings.calls.pbxId);
  if (id === undefined || timeline === undefined) {
    const { stateDir, journalKeepMs } = settings.outbox;
    const damaged = await newestDamaged(databasePath(stateDir)).catch(() => undefined);
    context.printError(notFoundText(what, journalKeepMs, damaged));
    return exitCodes.notFound;
  }
  const wasSent = !options.offline && timeline.events.length > 0;
  const api = wasSent ? apiOf(io.environment()) : undefined;
  const apiHistory = wasSent ? await readApiHistory(api, timeline.callId) : undefined;
  const conclusion = conclusionOf(timeline, apiHistory);
  const endedIn = options.offline ? undefined : await readEnd(context, timeline);
  const elsewhere = isLogged(timeline)
    ? elsewhereOf({
        callId: timeline.callId,
        since: timeline.lines[0]?.at ?? 0,
        unit: unitOf(io.environment().ENV_FILE),
        api: api && { baseUrl: api.baseUrl, isService: api.extras || api.callBacks !== undefined },
      })
    : [];
  const show = options.showNumbers ? (text: string) => text : maskNumbers;
  if (json) {
    const lines = timeline.lines.map((line) => ({ ...line, text: show(line.text) }));
    terminal.json({ call: timeline.callId, ...conclusion, lines, endedIn, apiHistory, others, elsewhere });
  } else print(context, timeline, { apiHistory, endedIn, conclusion, others, elsewhere, show });
  return conclusion.state === 'reported' ? exitCodes.ok : exitCodes.problem;
}

/** Uniqueids that match a call id, Uniqueid, Linkedid or caller number; newest first. */
function find(
  reader: Reader,
  what: string,
  { pbxId, defaultCountry }: { pbxId: string; defaultCountry: string | undefined },
): string[] {
  const id = what.startsWith(`${pbxId}-`) ? what.slice(pbxId.length + 1) : what;
  // Asterisk's ids: `seconds.count`, or `systemname-seconds.count`.
  if (/\d{9,}\.\d+$/.test(id) || !/^[+\d\s()/-]{3,}$/.test(id)) return [id];
  const number = normaliseNumber(what, defaultCountry);
  const reported = reader.callsFrom(number, maxCalls).map((callId) => callId.slice(pbxId.length + 1));
  const digits = number.replace(/^\+/, '').slice(-7);
  const seen = reader
    .journal([digits])
    .flatMap((line): string[] => {
      const { uniqueid, linkedid = uniqueid, number = '' } = JSON.parse(line) as StoredEntry;
      return number.replace(/\D/g, '').endsWith(digits) && linkedid === uniqueid ? [uniqueid] : [];
    })
    .reverse();
  return [...new Set([...reported, ...seen])].sort(newestFirst).slice(0, maxCalls);
}

function newestFirst(a: string, b: string): number {
  const [at, bt] = [a, b].map((id) => Number.parseFloat(/(\d{9,}\.\d+)$/.exec(id)?.[1] ?? '0'));
  return (bt ?? 0) - (at ?? 0);
}

function notFoundText(what: string, keepMs: number, damaged: DamagedFile | undefined): string {
  if (keepMs === 0) return `no record of ${what}: the journal is turned off (JOURNAL_KEEP=0s)`;
  if (damaged !== undefined) {
    const at = new Date(damaged.at).toISOString().slice(0, 16).replace('T', ' ');
    return `no record of ${what}. The database was damaged and replaced at ${at} UTC: what the journal had of earlier calls may be lost with it (${damaged.path}). pbx-bridge outbox list and the API's history (pbx-bridge verify) show what was reported.`;
  }
  const days = Math.round(keepMs / 86_400_000);
  return `no record of ${what}: no such channel was seen in the last ${days} days (JOURNAL_KEEP). Check that the bridge was running and connected then. To test whether calls are seen now, run pbx-bridge check --call.`;
}

/** What the dialplan does where a missed call ended, such as `VoiceMail(101@default,u)`, if the PBX says. */
async function readEnd({ io }: Context, { journal }: Timeline): Promise<string | undefined> {
  const place = journal.findLast((entry) => entry.place !== undefined)?.place;
  const isMissed = journal.some(isMissedEnd);
  const environment = io.environment();
  if (!isMissed || place === undefined || isUnset(['AMI_USERNAME', 'AMI_SECRET'], environment))
    return undefined;
  return readDialplanLine(loadConfig({ ami: amiSection }, environment).ami, place, systemClock);
}

/** Whether the log names it: legs and calls that are not inbound leave no lines. */
const isLogged = ({ events, journal }: Timeline) =>
  events.length > 0 || journal.some(({ kind, event }) => kind === 'reported' || event?.code === 'decision');

function apiOf(environment: Environment) {
  return isUnset(['API_BASE_URL', 'API_TOKEN'], environment)
    ? undefined
    : loadConfig({ api: apiSection }, environment).api;
}

async function readApiHistory(
  api: ReturnType<typeof apiOf>,
  callId: string,
): Promise<HistoryEntry[] | string> {
  if (api === undefined) return 'not read: API_BASE_URL and API_TOKEN are not set here';
  const { createApiClient } = await import('../shared/api/client.ts');
  const client = createApiClient({ ...api, connections: 1 });
  try {
    return await createHistoryReader(client.history).entriesOf(callId);
  } catch (error) {
    if (error instanceof HistoryUnreadable) return `cannot be read: ${error.message}`;
    throw error;
  } finally {
    await client.close();
  }
}

type Explanation = {
  readonly apiHistory: HistoryEntry[] | string | undefined;
  readonly endedIn: string | undefined;
  readonly conclusion: ReturnType<typeof conclusionOf>;
  readonly others: readonly string[];
  readonly elsewhere: readonly Elsewhere[];
  readonly show: (text: string) => string;
};

const signs: Readonly<Record<Line['what'], readonly [string, 'dim' | 'bold' | 'green' | 'red' | 'yellow']>> =
  {
    seen: ['seen     ', 'dim'],
    decided: ['decided  ', 'bold'],
    delivered: ['delivered', 'green'],
    failed: ['failed   ', 'red'],
  };

function print(
  { terminal }: Context,
  timeline: Timeline,
  { apiHistory, endedIn, conclusion, others, elsewhere, show }: Explanation,
): void {
  const { paint } = terminal;
  const now = Date.now();
  terminal.wrapped('', `call ${timeline.callId}`, 0);
  const timeWidth = Math.max(...timeline.lines.map(({ at }) => clockTime(at, now).length), 8);
  for (const { at, what, text } of timeline.lines) {
    const [sign, colour] = signs[what];
    const head = `${clockTime(at, now).padEnd(timeWidth)} ${paint(colour, sign)} `;
    terminal.wrapped(head, show(text), timeWidth + 11);
  }
  if (endedIn !== undefined) terminal.wrapped('Ended in: ', show(endedIn), 10);
  if (apiHistory !== undefined) terminal.wrapped('API history: ', show(apiHistoryText(apiHistory, now)), 13);
  const colour =
    conclusion.state === 'reported' ? 'green' : conclusion.state === 'waiting' ? 'yellow' : 'red';
  terminal.print();
  terminal.wrapped(`${paint(colour, conclusion.state.toUpperCase())}: `, show(conclusion.why), 2);
  if (others.length > 0) terminal.wrapped('', `This is the newest match. Others: ${others.join(', ')}`, 2);
  if (elsewhere.length > 0) terminal.print('\nThe same call elsewhere:');
  for (const { place, look } of elsewhere) terminal.wrapped(`  ${place}: `, look, 4);
}

/** Describes what the API's request history has of a call; a string is the reason why it could not be read. */
function apiHistoryText(entries: readonly HistoryEntry[] | string, now: number): string {
  if (typeof entries === 'string') return entries;
  if (entries.length === 0) return 'no entry for this call';
  return entries
    .map(({ status, at, httpStatus }) => {
      const when = at === undefined ? '' : ` at ${clockTime(at, now)}`;
      return `${status}${when}${httpStatus === undefined ? '' : ` (${httpStatus})`}`;
    })
    .join(', ');
}
