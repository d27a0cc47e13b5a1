import type { CallStatus } from '../api/contract/call-event.ts';
import { callStatuses, isForward } from '../api/contract/call-event.ts';
import {
  channelKind,
  dialledNumber,
  endpointOf,
  extensionOf,
  otherHalf,
  presentedIn,
} from '../calls/channel.ts';
import type { Rules } from '../calls/rules.ts';
import { normaliseNumber, readNumber } from '../phone-number/normalise-number.ts';
import { isWithheld } from '../phone-number/number-text.ts';
import type { CdrRecord } from './cdr-record.ts';
import { type DialledLegs, isOutgoing } from './dialled-legs.ts';

/** What Asterisk's records say about a channel. */
export type Verdict =
  | { readonly inbound: false }
  | {
      readonly inbound: true;
      /** The number to report; '' if there is none. */
      readonly from: string;
      /** Who answered; absent if nobody did. */
      readonly callerId?: string;
    };

type Known = { readonly rules: Rules; readonly trunks: ReadonlySet<string>; readonly legs: DialledLegs };

/** Decides about a channel by its own records: at least one, in the order of writing. */
export function judge(known: Known, records: readonly CdrRecord[]): Verdict {
  if (!records.some((record) => cameIn(known, record)) || records.some((record) => wentOut(known, record)))
    return { inbound: false };
  const answer = answerOf(known, records);
  return {
    inbound: true,
    from: fromOf(known.rules, records),
    ...(answer && { callerId: callerIdOf(known, answer) }),
  };
}

/**
 * A transfer overwrites the context, even in a record that began before it, and FreePBX moves calls through many
 * contexts. Then the called number (DID) or the trunk's endpoint decides. A call originated over that trunk looks
 * similar, but has no caller number.
 */
function cameIn({ rules, trunks }: Known, { channel, dcontext, src, did }: CdrRecord): boolean {
  if (channelKind(channel) !== 'real') return false;
  return (
    rules.contextIsInbound(dcontext) ||
    rules.nameIsInbound(channel) ||
    did !== '' ||
    (trunks.has(endpointOf(channel)) && src !== '')
  );
}

function wentOut({ legs }: Known, record: CdrRecord): boolean {
  return isOutgoing(record) || legs.wasDialled(record.channel);
}

function fromOf(rules: Rules, records: readonly CdrRecord[]): string {
  const record = records.find(({ src }) => presentedIn(src) !== '');
  if (record === undefined) return rules.missingNumber ?? rules.withheldNumber ?? '';
  const { src, channel } = record;
  if (isWithheld(src)) return rules.withheldNumber ?? '';
  return readNumber(src, rules.defaultCountry, rules.notationOf(channel)).number;
}

/**
 * The record of the first answer. After a call pickup, the phone that was ringing has an ANSWERED record too, since the
 * other phone's channel took over its name for a moment; the leg's own record then says NO ANSWER.
 */
function answerOf({ legs }: Known, records: readonly CdrRecord[]): CdrRecord | undefined {
  const answers = records.filter(
    ({ disposition, dstchannel }) => disposition === 'ANSWERED' && dstchannel !== '',
  );
  const wasPickedUp = ({ dstchannel }: CdrRecord) => {
    const leg = legs.of(dstchannel);
    return leg !== undefined && isOutgoing(leg) && leg.disposition !== 'ANSWERED';
  };
  return answers.find((answer) => !wasPickedUp(answer)) ?? answers[0];
}

function callerIdOf({ rules, trunks, legs }: Known, answer: CdrRecord): string {
  let last = answer;
  for (const seen = new Set<CdrRecord>(); channelKind(last.dstchannel) === 'local' && !seen.has(last); ) {
    seen.add(last);
    const beyond = legs.of(otherHalf(last.dstchannel));
    // Without its record: the number in the Local channel's name, `Local/1001@…`.
    if (beyond === undefined || beyond.dstchannel === '')
      return /^Local\/([^@]+)/.exec(last.dstchannel)?.[1] ?? last.dst;
    last = beyond;
  }
  const { dstchannel } = last;
  const extension = extensionOf(dstchannel);
  if (!trunks.has(endpointOf(dstchannel)) && !rules.nameIsInbound(dstchannel)) return extension;
  return normaliseNumber(dialledOver(last) || last.dst, rules.defaultCountry) || extension;
}

/** The number dialled over the trunk: `Dial(PJSIP/1001&PJSIP/trunk/sip:+49171…@10.0.0.1,20)`. */
function dialledOver({ lastdata, dstchannel }: CdrRecord): string {
  const dialStrings = (lastdata.split(',')[0] ?? '').split('&');
  const name = extensionOf(dstchannel);
  const over = dialStrings.find(
    (dialled) => dialled.startsWith(`${endpointOf(dstchannel)}/`) || dialled.endsWith(`@${name}`),
  );
  return dialledNumber(over ?? '');
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
