import { channelKind } from '../calls/channel.ts';
import { beganAt, type CdrRecord } from './cdr-record.ts';

/**
 * Legs found in the records of one run of Asterisk: dialled channels, and the channels behind Local pairs. Names of lines
 * (DAHDI, IAX2) repeat, so a name counts only during the call of its record.
 */
export type DialledLegs = {
  add(record: CdrRecord): void;
  /** True if a call in progress when this channel began had it as its other end. */
  wasDialled(record: Pick<CdrRecord, 'channel' | 'uniqueid'>): boolean;
  /** True if the other end of this record is that of another call too. */
  isOfAnother(record: CdrRecord): boolean;
  /** The records of the channel of this name during the call of `by`, in the order of writing. */
  all(channel: string, by: CdrRecord): CdrRecord[];
  /** The record of the channel of this name during the call of `by`; the answered one if there are several. */
  of(channel: string, by: CdrRecord): CdrRecord | undefined;
  /** The answered record of a Local half that leads to this number, during the call of `by`. */
  leadingTo(number: string, by: CdrRecord): CdrRecord | undefined;
};

/** A leg's record is written when the leg ends, which can be hours before the caller's record. */
const maxLegs = 20_000;
/** Calls in progress at a time on one name, or shortly after each other. */
const maxOfName = 20;

/** `lastdata` of a leg that Asterisk dialled (AppDial, AppDial2, AppQueue). */
const outgoing = '(Outgoing Line)';

export function isOutgoing({ lastdata }: CdrRecord): boolean {
  return lastdata === outgoing;
}

export function createDialledLegs(kept = maxLegs): DialledLegs {
  const dialled = new Map<string, Span[]>();
  const records = new Map<string, { readonly record: CdrRecord; readonly span: Span }[]>();
  /** By uniqueid: when its first record began, on the PBX's own clock. */
  const starts = new Map<string, number>();

  /** Records have local times; the uniqueid has the time of the first one in UTC. */
  function spanOf(record: CdrRecord): Span {
    const { uniqueid, start, duration } = record;
    const from = beganAt(record) / 1_000;
    if (start === undefined || duration === undefined)
      return { uniqueid, from, to: Number.POSITIVE_INFINITY };
    const first = starts.get(uniqueid) ?? start;
    keep(starts, uniqueid, first, kept);
    return { uniqueid, from, to: from + Math.max(start - first, 0) + duration + roundingS };
  }

  function all(channel: string, by: CdrRecord): CdrRecord[] {
    const during = spanOf(by);
    return (records.get(channel) ?? [])
      .filter(({ span }) => span.to >= during.from && span.from <= during.to)
      .map(({ record }) => record);
  }

  function of(channel: string, by: CdrRecord): CdrRecord | undefined {
    const found = all(channel, by);
    return found.find(isAnswered) ?? found.find(({ disposition }) => disposition === 'ANSWERED') ?? found[0];
  }

  return {
    all,
    of,
    leadingTo(number, by) {
      for (const name of records.keys()) {
        if (!name.startsWith(`Local/${number}@`) || !name.endsWith(';2')) continue;
        const record = of(name, by);
        if (record && isAnswered(record)) return record;
      }
      return undefined;
    },
    add(record) {
      const { channel, dstchannel } = record;
      const span = spanOf(record);
      if (dstchannel !== '' && channelKind(dstchannel) === 'real')
        keep(dialled, dstchannel, [...(dialled.get(dstchannel) ?? []), span].slice(-maxOfName), kept);
      keep(records, channel, [...(records.get(channel) ?? []), { record, span }].slice(-maxOfName), kept);
    },
    wasDialled(record) {
      const began = beganAt(record) / 1_000;
      return (dialled.get(record.channel) ?? []).some(({ from, to }) => began >= from && began <= to);
    },
    isOfAnother: ({ dstchannel, uniqueid }) =>
      (dialled.get(dstchannel) ?? []).some((span) => span.uniqueid !== uniqueid),
  };
}

/** True if another channel answered. Announcements and voicemail answer too, without one. */
export function isAnswered({ disposition, dstchannel }: CdrRecord): boolean {
  return disposition === 'ANSWERED' && dstchannel !== '';
}

/** The time of a call, Unix s. */
type Span = { readonly uniqueid: string; readonly from: number; readonly to: number };

/** Times in records are whole seconds. */
const roundingS = 1;

/** Sets an entry, and removes the oldest one beyond `most`. */
function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.set(key, value);
  if (map.size <= most) return;
  const [oldest] = map.keys();
  map.delete(oldest as string);
}

/**
 * Detects restarts of Asterisk. The returned function is called with each record in order, and returns true if Asterisk
 * was restarted before it: channel names are then reused. The count in a uniqueid (`seconds.count`) restarts too.
 */
export function createRestartDetector(): (record: Pick<CdrRecord, 'uniqueid'>) => boolean {
  let latest = { seconds: 0, count: 0 };
  return ({ uniqueid }) => {
    const [, seconds = 0, count = 0] = (/(\d+)\.(\d+)$/.exec(uniqueid) ?? []).map(Number);
    if (seconds <= latest.seconds) return false;
    const isRestarted = count < latest.count;
    latest = { seconds, count };
    return isRestarted;
  };
}
