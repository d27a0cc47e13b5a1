import { type CallExtras, longestCallSeconds, type Missed } from '../../shared/api/contract/call-extras.ts';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import { channelKind, endpointOf, extensionOf } from '../calls/channel-name.ts';
import { extrasOf } from '../calls/missed.ts';
import { beganAt } from '../calls/open-call.ts';
import { type MissedPlace, missedPlaceAt, missedPlaceIn, named } from '../calls/place.ts';
import type { Rules } from '../calls/rules.ts';
import { type CdrRecord, secondsBetween } from './cdr-source.ts';
import { type DialledLegs, halfBeyond } from './dialled-legs.ts';

/** What records say of a call beyond the API's document. */
export type RecordExtras = {
  readonly did?: string;
  readonly line: string;
  /** Unix s by the PBX's clock, whole seconds; the end is undefined if the source has no times. */
  readonly began: number;
  readonly seconds: number | undefined;
  /** Of a call that nobody answered. */
  readonly missed?: Missed;
};

type RecordsKnown = {
  readonly rules: Rules;
  readonly trunks: ReadonlySet<string>;
  readonly legs: DialledLegs;
};

/** Reads a call's own records, in the order of writing: at least one. */
export function recordExtras(
  known: RecordsKnown,
  records: readonly CdrRecord[],
  wasAnswered: boolean,
): RecordExtras {
  const [first] = records as [CdrRecord];
  const seconds = secondsOf(records);
  const dialled = dialledFromOutside(known.rules, records);
  const did = records.some((record) => record.did !== '') || outsideNumber.test(dialled) ? dialled : '';
  return {
    ...(did !== '' && { did }),
    line: endpointOf(first.channel),
    began: beganAt(first) / 1_000,
    seconds,
    ...(!wasAnswered && {
      missed: { ...missedPlace(known, records), ...(seconds !== undefined && { after: seconds }) },
    }),
  };
}

/** Longer than the extensions of a house. */
export const outsideNumber = /^\+?\d{7,}$/;

/**
 * What was dialled from outside, '' if no record says it: a destination after the first record, or in another context, is where the
 * dialplan has moved the call to. It may have done so in the same context, too, since Asterisk writes the last extension: only a number
 * of the outside is sure to be the number called.
 */
export function dialledFromOutside(rules: Rules, records: readonly CdrRecord[]): string {
  const did = records.find((record) => record.did !== '')?.did;
  const [first] = records;
  return did ?? (first && isDialledFromOutside(rules, first) ? first.dst : '');
}

/** The extras of an event; `isAlone` if no event of the call was timed by the bridge's own clock. */
export function extrasOfRecorded(
  { began, seconds, missed, ...call }: RecordExtras,
  status: CallStatus,
  isAlone: boolean,
): CallExtras {
  const at = seconds === undefined || status === 'answered' ? undefined : (began + seconds) * 1_000;
  return extrasOf({ ...call, ...(isAlone && { began: began * 1_000 }) }, status, {
    at: isAlone ? at : undefined,
    missed: status === 'completed' ? missed : undefined,
  });
}

/** FreePBX's `from-did-direct` is where its inbound routes lead to an extension. */
function isDialledFromOutside(rules: Rules, { dcontext }: CdrRecord): boolean {
  return rules.contextIsInbound(dcontext) && dcontext !== 'from-did-direct';
}

function secondsOf(records: readonly CdrRecord[]): number | undefined {
  const [first] = records;
  const began = first?.start ?? Number.NaN;
  const ends = records.map(
    ({ start, duration }) => secondsBetween(began, start ?? Number.NaN) + (duration ?? Number.NaN),
  );
  const seconds = Math.max(...ends);
  return seconds >= 0 && seconds <= longestCallSeconds ? seconds : undefined;
}

/** Taken from the last application, without the `Hangup`, `Busy` or `Congestion` that follows an unanswered Dial. */
function missedPlace(known: RecordsKnown, records: readonly CdrRecord[]): MissedPlace {
  const { legs } = known;
  const last = records.findLast(({ lastapp }) => !/^(?:Hangup|Busy|Congestion|)$/i.test(lastapp));
  if (last === undefined) {
    const { dcontext: context = '', dst: exten = '' } = records.at(-1) ?? {};
    return missedPlaceAt({ context, exten });
  }
  const running = missedPlaceIn(last.lastapp, last.lastdata);
  // A phone has sent the call on to an application, behind a Local channel.
  const beyond = legs.isAnswered(last) ? legs.find(halfBeyond(last.dstchannel), last) : undefined;
  const there = beyond && missedPlaceIn(beyond.lastapp, beyond.lastdata);
  if (running.where === 'ringing' && there?.where !== undefined && there.where !== 'ringing') return there;
  const place = missedPlaceAt({ context: last.dcontext, exten: last.dst });
  // FreePBX plays a text to callers there.
  if (place.where === 'fax' || place.where === 'blocked') return place;
  if (running.where !== 'ringing') return running.where === place.where && place.name ? place : running;
  if (place.where === 'ringing' && place.name !== undefined) return place;
  const rang = records.filter(
    ({ lastapp, lastdata }) => lastapp === last.lastapp && lastdata === last.lastdata,
  );
  const names = new Set(rang.map(({ dstchannel }) => nameOf(known, dstchannel)));
  const [name = ''] = names;
  return named('ringing', names.size === 1 ? name : '');
}

function nameOf({ rules, trunks }: RecordsKnown, channel: string): string {
  const isPhone = channelKind(channel) === 'real' && !trunks.has(endpointOf(channel));
  return isPhone ? rules.extension(extensionOf(channel), channel) : '';
}
