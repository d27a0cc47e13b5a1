import type { CallStatus } from '../api/contract/call-event.ts';
import { callStatuses, isForward } from '../api/contract/call-event.ts';
import { channelKind, dialledNumber, endpointOf, extensionOf, otherHalf } from '../calls/channel.ts';
import type { Rules } from '../calls/rules.ts';
import { isWithheld, normaliseNumber } from '../phone-number/normalise-number.ts';
import type { CdrRecord } from './cdr-record.ts';
import { isOutgoing, type Legs } from './dialled-legs.ts';

/** What Asterisk's records say of a channel. */
export type Verdict =
  | { readonly inbound: false }
  | {
      readonly inbound: true;
      /** As it is told; '' if there is no number to tell. */
      readonly from: string;
      /** Who answered; absent if no person did. */
      readonly callerId?: string;
    };

type Known = { readonly rules: Rules; readonly trunks: ReadonlySet<string>; readonly legs: Legs };

/** Judges a channel by its own records, in the order in which they were written; at least one. */
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
 * A transfer overwrites the context, also in a record that began before it, and FreePBX moves each call on through many;
 * then the number that was called from outside must tell, or the trunk's endpoint. A program's own call over that trunk
 * looks much the same, but shows no caller.
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
  const shown = records.find(({ src }) => src !== '')?.src ?? '';
  if (isWithheld(shown)) return rules.withheldNumber ?? '';
  return normaliseNumber(shown, rules.defaultCountry);
}

/**
 * The record that tells who answered first. A phone whose ringing another one picked up has one that says ANSWERED,
 * too: the picker took over its name for a moment, and its own record says that nobody answered.
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
    // Its record is not there: the number that the Local channel was made for, `Local/1001@…`.
    if (beyond === undefined || beyond.dstchannel === '')
      return /^Local\/([^@]+)/.exec(last.dstchannel)?.[1] ?? last.dst;
    last = beyond;
  }
  const { dstchannel } = last;
  const extension = extensionOf(dstchannel);
  if (!trunks.has(endpointOf(dstchannel)) && !rules.nameIsInbound(dstchannel)) return extension;
  return normaliseNumber(dialledOver(last) || last.dst, rules.defaultCountry) || extension;
}

/** The number that was dialled over the trunk: `Dial(PJSIP/1001&PJSIP/trunk/sip:+49171…@10.0.0.1,20)`. */
function dialledOver({ lastdata, dstchannel }: CdrRecord): string {
  const dialStrings = (lastdata.split(',')[0] ?? '').split('&');
  const name = extensionOf(dstchannel);
  const over = dialStrings.find(
    (dialled) => dialled.startsWith(`${endpointOf(dstchannel)}/`) || dialled.endsWith(`@${name}`),
  );
  return dialledNumber(over ?? '');
}

/** What is still to be told of a call that is over, after what was told before. */
export function missingOf(
  told: readonly CallStatus[],
  { callerId }: { readonly callerId?: string | undefined },
): CallStatus[] {
  const last = told.reduce<CallStatus | undefined>((a, b) => (isForward(a, b) ? b : a), undefined);
  return callStatuses.filter(
    (status) => isForward(last, status) && (status !== 'answered' || callerId !== undefined),
  );
}
