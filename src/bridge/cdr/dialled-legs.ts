import { LRUCache } from 'lru-cache';
import { channelKind } from '../calls/channel.ts';
import { beganAt } from '../calls/open-call.ts';
import type { CdrRecord } from './cdr-source.ts';

/** A leg's record is written when the leg ends, which can be hours before the caller's record. */
const maxLegs = 20_000;
/** Calls in progress at a time on one name, or shortly after each other. */
const maxOfName = 20;

/** `lastdata` of a leg that Asterisk dialled (AppDial, AppDial2, AppQueue). */
const outgoing = '(Outgoing Line)';

export function isOutgoing({ lastdata }: CdrRecord): boolean {
  return lastdata === outgoing;
}

/**
 * Legs found in the records of one run of Asterisk: dialled channels, and the channels behind Local pairs. Names of lines
 * (DAHDI, IAX2) repeat, so a name counts only during the call of its record.
 */
export type DialledLegs = ReturnType<typeof createDialledLegs>;

export function createDialledLegs() {
  // Full, they lose the name whose newest record is the oldest: reading one keeps nothing longer.
  const dialled = new LRUCache<string, Seen[]>({ max: maxLegs });
  const records = new LRUCache<string, Seen[]>({ max: maxLegs });
  /** By uniqueid: when its first record began, on the PBX's own clock. */
  const starts = new LRUCache<string, number>({ max: maxLegs });

  /** Records have local times; the uniqueid has the time of the first one in UTC. */
  function spanOf(record: CdrRecord): Span {
    const { uniqueid, start, duration } = record;
    const from = beganAt(record) / 1_000;
    if (start === undefined || duration === undefined)
      return { uniqueid, from, to: Number.POSITIVE_INFINITY };
    const first = starts.peek(uniqueid) ?? start;
    starts.set(uniqueid, first);
    return { uniqueid, from, to: from + Math.max(start - first, 0) + duration + roundingS };
  }

  /** The records of the channel of this name during the call of `by`, in the order of writing. */
  function all(channel: string, by: CdrRecord): CdrRecord[] {
    const during = spanOf(by);
    return (records.peek(channel) ?? [])
      .filter(({ span }) => span.to >= during.from && span.from <= during.to)
      .map(({ record }) => record);
  }

  /** The record of the channel of this name during the call of `by`; the answered one if there are several. */
  function find(channel: string, by: CdrRecord): CdrRecord | undefined {
    const found = all(channel, by);
    return found.find(isAnswered) ?? found.find(({ disposition }) => disposition === 'ANSWERED') ?? found[0];
  }

  return {
    all,
    find,
    /** The answered record of a Local half that leads to this number, during the call of `by`. */
    leadingTo(number: string, by: CdrRecord): CdrRecord | undefined {
      for (const name of records.rkeys()) {
        if (!name.startsWith(`Local/${number}@`) || !name.endsWith(';2')) continue;
        const record = find(name, by);
        if (record && isAnswered(record)) return record;
      }
      return undefined;
    },
    add(record: CdrRecord) {
      const { channel, dstchannel } = record;
      const span = spanOf(record);
      if (channelKind(dstchannel) === 'real')
        dialled.set(dstchannel, [...(dialled.peek(dstchannel) ?? []), { record, span }].slice(-maxOfName));
      records.set(channel, [...(records.peek(channel) ?? []), { record, span }].slice(-maxOfName));
    },
    /** True if a call in progress when this channel began had it as its other end. */
    wasDialled(record: Pick<CdrRecord, 'channel' | 'uniqueid'>) {
      const began = beganAt(record) / 1_000;
      return (dialled.peek(record.channel) ?? []).some(({ span }) => began >= span.from && began <= span.to);
    },
    /** The answered records of other channels that have this one as their other end, during its call. */
    takersOf(record: CdrRecord): CdrRecord[] {
      const during = spanOf(record);
      return (dialled.peek(record.channel) ?? [])
        .filter(({ span }) => span.to >= during.from && span.from <= during.to)
        .flatMap(({ record: other }) =>
          isAnswered(other) && other.uniqueid !== record.uniqueid ? other : [],
        );
    },
    /** True if the other end of this record is that of another call too. */
    isOfAnother: ({ dstchannel, uniqueid }: CdrRecord) =>
      (dialled.peek(dstchannel) ?? []).some(({ span }) => span.uniqueid !== uniqueid),
  };
}

/** True if another channel answered. Announcements and voicemail answer too, without one. */
export function isAnswered({ disposition, dstchannel }: CdrRecord): boolean {
  return disposition === 'ANSWERED' && dstchannel !== '';
}

type Seen = { readonly record: CdrRecord; readonly span: Span };

/** The time of a call, Unix s. */
type Span = { readonly uniqueid: string; readonly from: number; readonly to: number };

/** Times in records are whole seconds. */
const roundingS = 1;

/**
 * Detects restarts of Asterisk. The returned function is called with each record in order, and returns true if Asterisk
 * was restarted before it: channel names are then reused. The count in a uniqueid (`seconds.count`) restarts too.
 */
export function createRestartDetector(): (record: Pick<CdrRecord, 'uniqueid'>) => boolean {
  let latest = { began: 0, count: 0 };
  return ({ uniqueid }) => {
    const began = beganAt({ uniqueid });
    const count = Number(uniqueid.slice(uniqueid.lastIndexOf('.') + 1));
    if (began <= latest.began) return false;
    const isRestarted = count < latest.count;
    latest = { began, count };
    return isRestarted;
  };
}
