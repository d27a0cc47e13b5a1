import { readNumber } from '../../shared/phone-number/normalise-number.ts';
import { isWithheld } from '../../shared/phone-number/number-text.ts';
import { autoNotation, type Notation } from '../../shared/phone-number/trunk-notation.ts';
import { type CallerChannel, type Channel, isCaller, presentedBy, presentedIn } from './channel.ts';
import type { NumberSource } from './effect.ts';
import type { NumberToReport } from './input.ts';
import type { OpenCall } from './open-call.ts';
import { presumedPresentation } from './presentation.ts';
import { needsNumberCalled } from './report-rules.ts';
import { numberByRules, numberToReport } from './rules.ts';
import { decide, type TrackerState, writeJournal } from './tracker-state.ts';

/** True while the number of a call is not known, and may still come. */
export function isNumberOpen({ number }: Readonly<OpenCall>): boolean {
  return number === 'awaited' || number === 'absent';
}

/** Assumes a presentation when the PBX cannot say it. Without a number there is none. */
export function presumePresentation({ trunks }: TrackerState, channel: Channel): void {
  if (channel.presentation === 'unknown' && presentedBy(channel) !== undefined)
    channel.presentation = presumedPresentation(trunks.get(channel.endpoint));
}

/** True while the PBX is being asked whether the number may be shown: nothing is sent before it answers. */
export function awaitsPresentation(call: Readonly<OpenCall>, channel: Readonly<Channel>): boolean {
  return isNumberOpen(call) && presentedBy(channel) !== undefined && channel.presentation === 'unknown';
}

/**
 * Decides the number of a call, and returns true if the call has changed. A number that may be shown is known at once,
 * even after the wait for it is over: later events then have it. A withheld number stays withheld. With
 * REPORTED_NUMBER=dialplan it is the number that the dialplan has set when it dials, connects the caller or hangs up,
 * or when the wait is over, so that it does not depend on how fast the PBX is.
 */
export function decideNumber(
  state: TrackerState,
  call: OpenCall,
  channel: Channel | undefined,
  time: 'left' | 'up' | 'over',
): boolean {
  if (!isNumberOpen(call)) return false;
  if (isCaller(channel) && time !== 'over' && awaitsNumberCalled(state, call)) {
    askPresentation(state, channel);
    return false;
  }
  const { presentation = 'unknown' } = channel ?? {};
  const presented = channel && presentedBy(channel);
  if (presentation === 'prohibited' || isWithheld(presented ?? '')) {
    call.number = 'withheld';
    const seen = 'the caller withholds the number';
    takeNumber(state, call, byRules(state, call, channel, { lacks: 'withheld', seen }));
    return true;
  }
  if (!isCaller(channel) || presented === undefined) {
    if (time === 'left' || call.number === 'absent') return false;
    call.number = 'absent';
    const seen = channel?.number ? `${channel.number} is no number` : 'no number came';
    takeNumber(state, call, byRules(state, call, channel, { lacks: 'missing', seen }));
    return true;
  }
  // There is no time limit: a slow PBX must not reveal a withheld number.
  if (presentation === 'unknown' && time !== 'over') {
    askPresentation(state, channel);
    return false;
  }
  if (state.rules.reportedNumber === 'dialplan' && time === 'left' && call.number === 'awaited') return false;
  const decided = byRules(state, call, channel, readingOf(state, channel));
  if (call.number === 'absent' && 'from' in decided)
    decide(state, call.id, 'reported-late', 'the number came after all');
  call.number = 'known';
  takeNumber(state, call, decided);
  // The dialplan may look up the priority soon, if it has only begun.
  if ('from' in decided && channel.fromStart && channel.goneAt === undefined && time !== 'over')
    state.effects.push({ type: 'prefetch-priority', number: call.from });
  return true;
}

/** Takes the number to report. A call that is reported already goes on under its number. */
export function takeNumber(state: TrackerState, call: OpenCall, decided: NumberToReport): void {
  if ('from' in decided) {
    call.from = decided.from;
    delete call.ignored;
  } else if (call.reported === undefined) {
    const { reason, why, number } = decided;
    if (call.ignored === undefined) decide(state, call.id, reason, why, number);
    if (reason === 'ignored') Object.assign(call, { from: '', ignored: why });
  }
}

/** The number to report as the rules say. */
function byRules(
  { rules }: TrackerState,
  { did }: OpenCall,
  channel: Channel | undefined,
  caller: Parameters<typeof numberToReport>[1],
): NumberToReport {
  const decided = numberToReport(rules, caller);
  return numberByRules(rules, decided, { called: did, channel: channel?.name });
}

/** True for a call found in progress while the PBX has still to say which number was called, if a rule must know it. */
function awaitsNumberCalled({ rules }: TrackerState, { did, reported }: OpenCall): boolean {
  return did === undefined && reported === undefined && needsNumberCalled(rules);
}

/** Asks once whether the number may be shown; the answer has the number called, too. */
function askPresentation(state: TrackerState, { uniqueid, name, role }: CallerChannel): void {
  if (role.isAsked) return;
  role.isAsked = true;
  state.effects.push({ type: 'ask', uniqueid, channel: name });
  const event = { code: 'presentation-asked' } as const;
  writeJournal(state, { at: state.at, uniqueid, kind: 'observed', event });
}

/** What a caller's channel has for a number: the trunk's, or by setting what the dialplan made of it. */
function readingOf(
  state: TrackerState,
  { name, number, role }: CallerChannel,
): { readonly text: string; readonly by: NumberSource['by']; readonly notation: Notation } {
  const { rules } = state;
  const { presented = '', dialplanNumber } = role;
  const made = dialplanNumber ?? number ?? '';
  const isMade =
    rules.reportedNumber === 'dialplan' &&
    made !== presented &&
    !isWithheld(made) &&
    presentedIn(made) !== undefined;
  return isMade
    ? { text: made, by: 'dialplan', notation: autoNotation }
    : { text: presented, by: 'trunk', notation: rules.notationOf(name) };
}

/** Where the number comes from, as far as the channel still shows it. */
export function sourceOf(state: TrackerState, { uniqueid, number }: OpenCall): NumberSource | undefined {
  const channel = state.channels.get(uniqueid);
  if (number !== 'known' || !isCaller(channel)) return undefined;
  const { text, by, notation } = readingOf(state, channel);
  return { by, text, how: readNumber(text, state.rules.defaultCountry, notation).how };
}
