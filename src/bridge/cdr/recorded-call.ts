import { type CallStatus, callStatuses, isForward } from '../../shared/api/contract/call-status.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { isWithheld } from '../../shared/phone-number/number-text.ts';
import { presentedIn } from '../calls/channel.ts';
import {
  channelKind,
  dialledNumber,
  endpointOf,
  extensionOf,
  goesOverTrunk,
  isGuestEndpoint,
  numberInAddress,
} from '../calls/channel-name.ts';
import type { NumberToReport } from '../calls/input.ts';
import type { CallFacts } from '../calls/report-rules.ts';
import { numberByRules, numberToReport, type Rules } from '../calls/rules.ts';
import { type CdrRecord, secondsBetween } from './cdr-source.ts';
import { type DialledLegs, halfBeyond, isOutgoing, LONGEST_TEXT } from './dialled-legs.ts';
import type { LiveCalls } from './live-calls.ts';
import { dialledFromOutside, outsideNumber, type RecordExtras, recordExtras } from './record-extras.ts';

/** What Asterisk's records say about a channel. */
export type RecordedCall =
  | { readonly inbound: false }
  | {
      readonly inbound: true;
      readonly number: NumberToReport;
      /** Who answered; absent for a missed call. */
      readonly callerId?: string;
      /** The machine (NOT_A_PERSON) that answered a missed call. */
      readonly machine?: string;
      readonly extras: RecordExtras;
    };

export type Known = Pick<LiveCalls, 'isPhone' | 'presumesWithheld'> & {
  readonly rules: Rules;
  readonly trunks: ReadonlySet<string>;
  readonly legs: DialledLegs;
};

/**
 * What the records of a channel say of its call. `records`: its own, at least one, in the order of writing. `byRules`: whether
 * REPORT_RULES apply: not to a call that was reported in part, since it must end.
 */
export function recordedCallOf(
  known: Known,
  records: readonly CdrRecord[],
  { byRules = true } = {},
): RecordedCall {
  if (!areOfCaller(known, records) || records.some(isOutgoing)) return { inbound: false };
  const callerId = callerIdOf(known, records);
  const machine = records.find(
    (one) => known.legs.isAnswered(one) && known.rules.isMachine(one.dstchannel),
  )?.dstchannel;
  const extras = recordExtras(known, records, callerId !== undefined);
  const number = numberOf(known, records);
  return {
    inbound: true,
    number: byRules ? numberByRules(known.rules, number, factsOf(extras, records)) : number,
    ...(callerId !== undefined && { callerId }),
    ...(callerId === undefined && machine !== undefined && { machine }),
    extras,
  };
}

/** What REPORT_RULES go by, besides the caller's number. */
export const factsOf = ({ did }: RecordExtras, [first]: readonly CdrRecord[]): Omit<CallFacts, 'caller'> => ({
  ...(did !== undefined && { called: did }),
  channel: first?.channel,
});

/** True if these, all of one channel, are of one that came in from outside. */
function areOfCaller(known: Known, records: readonly CdrRecord[]): boolean {
  const { legs } = known;
  return (
    !legs.wasMovedOn(records) &&
    records.some(
      (record) => cameIn(known, record) || (mayHaveComeIn(known, record) && !legs.wasDialled(record)),
    )
  );
}

/**
 * True for a caller's own record with an inbound context or a called number (DID). It says more than another record that
 * has the channel as its other end: callers are joined, meet in conferences, and are taken by `Bridge()`.
 */
function cameIn({ rules, trunks, isPhone }: Known, { channel, dcontext, src, did }: CdrRecord): boolean {
  if (channelKind(channel) !== 'real' || !(rules.contextIsInbound(dcontext) || did !== '')) return false;
  const endpoint = endpointOf(channel);
  // The company's own number, dialled from inside: the dialplan goes to the trunk's context.
  return trunks.has(endpoint) || !(isPhone(endpoint) || src === extensionOf(channel));
}

/**
 * A transfer overwrites the context, even in a record that began before it, and FreePBX moves calls through many
 * contexts. Then the trunk decides. A call originated over that trunk looks similar, but has no caller number.
 */
function mayHaveComeIn({ rules, trunks }: Known, { channel, src }: CdrRecord): boolean {
  if (channelKind(channel) !== 'real') return false;
  return rules.nameIsInbound(channel) || (trunks.has(endpointOf(channel)) && src !== '');
}

/** A phone whose calls have the number that it shows outside looks like a trunk; most have a number as their name. */
const phoneName = /^\d{1,6}$/;

/**
 * The endpoint over which a call has come in, by the looks of its caller's number, if nothing says that it is a trunk: the PBX
 * may have had another provider then. `records`: of one channel.
 */
export function unknownTrunkOf(known: Known, records: readonly CdrRecord[]): string | undefined {
  const { trunks, isPhone, legs } = known;
  const [first] = records;
  if (first === undefined || channelKind(first.channel) !== 'real') return undefined;
  const endpoint = endpointOf(first.channel);
  const name = extensionOf(first.channel);
  if (trunks.has(endpoint) || isPhone(endpoint) || isGuestEndpoint(endpoint) || phoneName.test(name))
    return undefined;
  const isCaller = records.some((one) => outsideNumber.test(one.src) && !legs.wasDialled(one));
  return isCaller && !records.some(isOutgoing) ? endpoint : undefined;
}

function numberOf({ rules, presumesWithheld }: Known, records: readonly CdrRecord[]): NumberToReport {
  const record = records.find(({ src }) => presentedIn(src) !== undefined);
  if (record === undefined)
    return numberToReport(rules, { lacks: 'missing', seen: 'its record has no number' });
  const { src, channel } = record;
  if (isWithheld(src))
    return numberToReport(rules, { lacks: 'withheld', seen: 'the caller withholds the number' });
  if (presumesWithheld(endpointOf(channel))) {
    const seen = 'its record does not say whether the number is withheld, as others on its trunk were';
    return numberToReport(rules, { lacks: 'withheld', seen });
  }
  return numberToReport(rules, { text: src, notation: rules.notationOf(channel) });
}

/** Who answered first; undefined for a missed call. */
function callerIdOf(known: Known, records: readonly CdrRecord[]): string | undefined {
  const answers = records.filter(known.legs.isAnswered).flatMap((record) => personsEnd(known, record) ?? []);
  const talked = firstToTalk(
    known,
    records,
    answers.map(({ record }) => record),
  );
  const answer = answers.find(({ record }) => record === talked);
  return answer === undefined
    ? takerOf(known, records)
    : (metBefore(known, records, answer.record) ?? answer.callerId);
}

/** Who was in a conference with the caller before this one of the caller's records: that is in the other's record only. */
function metBefore(known: Known, records: readonly CdrRecord[], answer: CdrRecord): string | undefined {
  const before = records.slice(0, records.indexOf(answer));
  return takerOf(
    known,
    before.filter(({ lastapp, dstchannel }) => lastapp === 'ConfBridge' && dstchannel === ''),
  );
}

/**
 * Who talked with a caller whose own records do not say: another channel's record has the caller as its other end, if
 * somebody of the house has taken the caller by `Bridge()`, or was in the conference before. A caller who was led there by a
 * Local pair is behind it.
 */
function takerOf(known: Known, records: readonly CdrRecord[]): string | undefined {
  const { takersOf, isAnswered } = known.legs;
  const takers = records.flatMap((record) => {
    const isLed = channelKind(record.dstchannel) === 'local' && isAnswered(record);
    return [...takersOf(record), ...(isLed ? takersOf(record, halfBeyond(record.dstchannel)) : [])];
  });
  // In a consultation (attended transfer) there is a Local pair in between.
  const behind = takers.flatMap((taker) =>
    channelKind(taker.channel) === 'local' ? takersOf(taker, halfBeyond(taker.channel)) : [],
  );
  const internalParty = [...takers, ...behind].find(
    (taker) =>
      channelKind(taker.channel) === 'real' &&
      !known.rules.isMachine(taker.channel) &&
      !known.trunks.has(endpointOf(taker.channel)) &&
      !isGuestEndpoint(endpointOf(taker.channel)) &&
      !cameIn(known, taker),
  );
  return internalParty && known.rules.extension(extensionOf(internalParty.channel), internalParty.channel);
}

/** Of the answered ones among a channel's records, the first that is not of a phone whose ringing another one picked up. */
function firstToTalk(
  known: Known,
  records: readonly CdrRecord[],
  answered: readonly CdrRecord[],
): CdrRecord | undefined {
  const [first = answered[0], second] = answered.filter((record) => !wasPickedUp(known, record));
  return first && second && wasTaken(known, records, first, second) ? second : first;
}

/**
 * A pickup may leave no record of the leg (`unanswered=no`). The record of the phone that was ringing then ends with the
 * answer, and in that moment, in the same place, the record of another phone begins, which no call of a colleague brought.
 */
function wasTaken(
  { legs, trunks, rules }: Known,
  records: readonly CdrRecord[],
  first: CdrRecord,
  second: CdrRecord,
): boolean {
  const isSameDial = first.lastapp === second.lastapp && first.lastdata === second.lastdata;
  const between = records.slice(records.indexOf(first) + 1, records.indexOf(second));
  const isNext = between.every((record) => !legs.isAnswered(record) && record.lastdata === first.lastdata);
  // Another caller, whose call goes on, has no record yet.
  const isPhone = !trunks.has(endpointOf(second.dstchannel)) && !rules.nameIsInbound(second.dstchannel);
  const isDirect = channelKind(second.dstchannel) === 'real' && isPhone && !legs.isOfAnother(second);
  const isSamePlace = first.dcontext === second.dcontext && first.dst === second.dst;
  return isSameDial && isSamePlace && isNext && isDirect && isAtOnce(first, second);
}

/** True if the second record begins when the first ends, as far as whole seconds show it. */
function isAtOnce({ start, duration }: CdrRecord, second: CdrRecord): boolean {
  const pause = secondsBetween(start ?? Number.NaN, second.start ?? Number.NaN) - (duration ?? Number.NaN);
  return pause >= 0 && pause <= 1;
}

/**
 * After a call pickup, the phone that was ringing has an ANSWERED record too, since the other phone's channel took over
 * its name for a moment; the leg's own record then says NO ANSWER. A leg with a dialplan routine of its own has `Return`.
 */
function wasPickedUp({ legs }: Known, record: CdrRecord): boolean {
  const leg = legs.find(record.dstchannel, record);
  return leg !== undefined && (isOutgoing(leg) || leg.lastapp === 'Return') && leg.disposition !== 'ANSWERED';
}

/**
 * The number in the name of a Local half of which FreePBX writes no record, only of the Local channels beyond: that of
 * follow-me (`FMPR-1001`), and of group members that are asked to press 1 (`RG-600*-00171…`).
 */
const unrecordedHalf = /^Local\/(?:RG-[^-*]+[-*]+|FM(?:PR|GL)-)([^@#]+)/;

/**
 * Who answered by this record: the end behind all Local pairs. Undefined if that is an application (voicemail), a helper of
 * Asterisk or a bot (AudioSocket, externalMedia), a machine that NOT_A_PERSON lists, another caller from outside, or not
 * recorded: an announcer in a conference that goes on, or what a dialplan with `CDR_PROP(disable)` has answered with.
 */
function personsEnd(known: Known, record: CdrRecord): { record: CdrRecord; callerId: string } | undefined {
  const { legs, trunks, rules, isPhone } = known;
  let last = record;
  for (const seen = new Set<CdrRecord>(); channelKind(last.dstchannel) === 'local' && !seen.has(last); ) {
    seen.add(last);
    const number = unrecordedHalf.exec(last.dstchannel)?.[1];
    const half = halfBeyond(last.dstchannel);
    const behind = legs.all(half, last);
    const answered = behind.filter((one) => legs.isAnswered(one) && !rules.isMachine(one.dstchannel));
    const beyond =
      firstToTalk(known, behind, answered) ??
      legs.find(half, last) ??
      (number === undefined ? undefined : legs.leadingTo(number, last));
    if (beyond === undefined && number !== undefined)
      return isMachinesNumber(rules, number)
        ? undefined
        : { record, callerId: phonesExtension(rules, number) };
    if (beyond === undefined || !legs.isAnswered(beyond)) return undefined;
    last = beyond;
  }
  const { dstchannel } = last;
  if (channelKind(dstchannel) === 'pseudo' || rules.isMachine(dstchannel)) return undefined;
  const end = legs.find(dstchannel, last);
  const endpoint = endpointOf(dstchannel);
  const isOutsider = isGuestEndpoint(endpoint) || areOfCaller(known, legs.all(dstchannel, last));
  if (end !== undefined && isOutsider && !isOutgoing(end)) return undefined;
  const extension = extensionOf(dstchannel);
  const dialled = dialledOver(known, last);
  const isTrunk = trunks.has(endpoint) || rules.nameIsInbound(dstchannel);
  const leg = { name: dstchannel, kind: 'real', number: last.dst } as const;
  if (!isTrunk && !goesOverTrunk(leg, dialled, isPhone(endpoint)))
    return { record, callerId: rules.extension(numberInAddress(leg, dialled) || extension, dstchannel) };
  const number = normaliseNumber(dialledNumber(dialled) || last.dst, rules.defaultCountry);
  // Where it is not known what was dialled, the caller's own record may only say which number of ours was.
  const isOurs = () =>
    number ===
    normaliseNumber(dialledFromOutside(rules, legs.all(record.channel, record)), rules.defaultCountry);
  return { record, callerId: (dialled === '' && isOurs() ? '' : number) || extension };
}

const technologies = ['PJSIP', 'SIP', 'IAX2', 'DAHDI', 'SCCP'];

/** Whether the phone with this number is one that NOT_A_PERSON lists, whichever driver it has. */
const isMachinesNumber = ({ isMachine }: Rules, number: string) =>
  technologies.some((technology) => isMachine(`${technology}/${number}`));

/** The extension of the phone with this number, whichever driver it has; that of a mobile is its number. */
function phonesExtension({ extension }: Rules, number: string): string {
  if (!phoneName.test(number)) return number;
  const named = technologies.map((technology) => extension(number, `${technology}/${number}`));
  return named.find((one) => one !== number) ?? number;
}

/**
 * What was dialled to reach the end, without the technology: `trunk/sip:+49171…@10.0.0.1` of `Dial(PJSIP/1001&PJSIP/trunk/…,20)`.
 * Of several that went over one endpoint, the one at the place that the end has among them: there is a record for each, in the
 * order of dialling. '' if that cannot be told.
 */
function dialledOver({ legs }: Known, record: CdrRecord): string {
  const { channel, dstchannel, lastapp, lastdata } = record;
  const endpoint = endpointOf(dstchannel);
  const [name, list = ''] = [extensionOf(dstchannel), lastdata.split(',')[0]];
  const isCut = list.length >= LONGEST_TEXT;
  const dialStrings = list.split('&');
  // The number of the last one is whole if what is behind it is there.
  if (isCut && !dialStrings.at(-1)?.includes('@')) dialStrings.pop();
  const over = dialStrings.filter(
    (dialled, nth) =>
      dialled.startsWith(`${endpoint}/`) ||
      dialled.endsWith(`@${name}`) ||
      (isCut && nth === dialStrings.length - 1 && name.startsWith(dialled.slice(dialled.indexOf('@') + 1))),
  );
  const same = legs
    .all(channel, record)
    .filter((one) => one.lastapp === lastapp && one.lastdata === lastdata)
    .map((one) => one.dstchannel)
    .filter((other) => endpointOf(other) === endpoint);
  const ends = [...new Set(same)];
  const place = ends.indexOf(dstchannel);
  // The same may have been dialled again.
  const isEach = over.length === 1 || ends.length % over.length === 0;
  const found = isCut ? over[place] : isEach ? over[place % over.length] : undefined;
  return found?.slice(found.indexOf('/') + 1) ?? '';
}

/** The states of a finished call that were not reported yet. */
export function missingOf(
  reported: readonly CallStatus[],
  { callerId }: { readonly callerId?: string | undefined },
): CallStatus[] {
  const last = reported.reduce<CallStatus | undefined>((a, b) => (isForward(a, b) ? b : a), undefined);
  return callStatuses.filter(
    (status) => isForward(last, status) && (status !== 'answered' || callerId !== undefined),
  );
}
