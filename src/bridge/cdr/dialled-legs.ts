import { channelKind, otherHalf } from '../calls/channel-name.ts';
import { beganAt } from '../calls/open-call.ts';
import { type CdrRecord, type RecordOptions, secondsBetween, usualRecords } from './cdr-source.ts';

/** A leg's record is written when the leg ends, which can be hours before the caller's record. */
const maxLegs = 20_000;
/** Calls in progress at a time on one name, or shortly after each other. */
const maxOfName = 20;

/** `lastdata` of a leg that Asterisk dialled (AppDial, AppDial2, AppQueue). */
const outgoing = '(Outgoing Line)';

export function isOutgoing({ lastdata }: CdrRecord): boolean {
  return lastdata === outgoing;
}

/** Characters that records have room for in a name or in the arguments of an application (AST_MAX_EXTENSION). */
export const LONGEST_TEXT = 79;

/** The name that records have for the other half of a Local pair: the same, if it was so long that `;1` was cut off. */
export const halfBeyond = (name: string): string =>
  name.length < LONGEST_TEXT || /;[12]$/.test(name) ? otherHalf(name) : name;

/** Applications that dial. A conference has channels as its other end too that came on their own. */
const dialApps = new Set(['Dial', 'RetryDial', 'Queue', 'FollowMe']);

/**
 * Legs found in the records of one run of Asterisk: dialled channels, and the channels behind Local pairs. Names of lines
 * (DAHDI, IAX2) repeat, so a name counts only during the call of its record.
 */
export type DialledLegs = ReturnType<typeof createDialledLegs>;

export function createDialledLegs(recordOptions: () => RecordOptions = () => usualRecords) {
  const dialled = new Map<string, Seen[]>();
  const records = new Map<string, Seen[]>();
  /** By uniqueid: when its first record began, on the PBX's own clock. */
  const starts = new Map<string, number>();

  /** True if another channel answered. Announcements and voicemail answer too, without one. */
  function isAnswered({ disposition, dstchannel }: CdrRecord): boolean {
    return dstchannel !== '' && (disposition === 'ANSWERED' || recordOptions().ignoresDialChanges);
  }

  /** Records have local times; the uniqueid has the time of the first one in UTC. */
  function spanOf(record: CdrRecord): Span {
    const { uniqueid, start, duration } = record;
    const from = beganAt(record) / 1_000;
    if (start === undefined || duration === undefined)
      return { uniqueid, from, since: from, to: Number.POSITIVE_INFINITY };
    const first = starts.get(uniqueid) ?? start;
    putLast(starts, uniqueid, first);
    const began = from + secondsBetween(first, start);
    // A leg has its uniqueid before Asterisk begins the record, and times are rounded.
    const since = Math.max(began - roundingS, from);
    return { uniqueid, from, since, to: began + duration + roundingS };
  }

  /**
   * The records of the channel of this name during the call of `by`, in the order of writing. Halves of a Local pair may have one
   * name (see `halfBeyond`): not those of the half that was dialled then.
   */
  function all(channel: string, by: CdrRecord): CdrRecord[] {
    const during = spanOf(by);
    return (records.get(channel) ?? [])
      .filter(({ span }) => span.to >= during.from && span.from <= during.to)
      .map(({ record }) => record)
      .filter(
        (record) => channel !== by.dstchannel || channelKind(channel) !== 'local' || !isOutgoing(record),
      );
  }

  /** True for the first answered record of its channel. Whom a channel talks with later may have been joined with it. */
  function isFirstTalk(by: CdrRecord): boolean {
    const talks = (records.get(by.channel) ?? []).filter(
      ({ record }) => record.uniqueid === by.uniqueid && isAnswered(record),
    );
    return talks[0]?.record === by;
  }

  /** The record of the channel of this name during the call of `by`; the answered one if there are several. */
  function find(channel: string, by: CdrRecord): CdrRecord | undefined {
    const found = all(channel, by);
    return found.find(isAnswered) ?? found.find(({ disposition }) => disposition === 'ANSWERED') ?? found[0];
  }

  return {
    isAnswered,
    all,
    find,
    /** The answered record of a Local half that leads to this number, during the call of `by`. */
    leadingTo(number: string, by: CdrRecord): CdrRecord | undefined {
      for (const name of records.keys()) {
        if (!name.startsWith(`Local/${number}@`) || !name.endsWith(';2')) continue;
        const record = find(name, by);
        if (record && isAnswered(record)) return record;
      }
      return undefined;
    },
    add(record: CdrRecord) {
      const { channel, dstchannel } = record;
      const seen = { record, span: spanOf(record) };
      if (dstchannel !== '') addTo(dialled, dstchannel, seen);
      addTo(records, channel, seen);
    },
    /**
     * True if this channel began during a record that has it as its other end. It began before that record if it was only joined
     * with the other one: a caller with another caller.
     */
    wasDialled(record: Pick<CdrRecord, 'channel' | 'uniqueid'>) {
      const began = beganAt(record) / 1_000;
      return (dialled.get(record.channel) ?? []).some(({ span }) => began >= span.since && began <= span.to);
    },
    /**
     * True if these records, all of one channel, are of a leg that answered and was then parked or sent elsewhere. It is stricter
     * than `wasDialled`, since a caller can be the other end of a record too. A caller's own first record begins with the channel.
     * The first one of such a leg begins when the record that dialled it is over.
     */
    wasMovedOn(own: readonly CdrRecord[]) {
      const [first] = own;
      if (first === undefined) return false;
      const began = beganAt(first) / 1_000;
      return (dialled.get(first.channel) ?? []).some(({ record: by, span }) => {
        // The next caller on a line can begin in the second in which this call ends. A leg that answered began before.
        const isDuring =
          began >= span.since && began <= Math.max(span.since + roundingS, span.to - 2 * roundingS);
        const { start = Number.NaN, duration = Number.NaN } = by;
        const isOver = (record: CdrRecord) => secondsBetween(start, record.start ?? Number.NaN) >= duration;
        return dialApps.has(by.lastapp) && isFirstTalk(by) && isDuring && own.every(isOver);
      });
    },
    /** The answered records of other channels that have this one, or `channel`, as their other end, during its call. */
    takersOf(record: CdrRecord, channel = record.channel): CdrRecord[] {
      // Names of Local channels never repeat, and the first record of a leg may begin long after the leg.
      const isLocal = channelKind(channel) === 'local';
      const during = spanOf(record);
      return (dialled.get(channel) ?? [])
        .filter(({ span }) => isLocal || (span.to >= during.from && span.from <= during.to))
        .flatMap(({ record: other }) =>
          isAnswered(other) && other.uniqueid !== record.uniqueid ? other : [],
        );
    },
    /** True if the other end of this record is that of another call too. */
    isOfAnother: ({ dstchannel, uniqueid }: CdrRecord) =>
      (dialled.get(dstchannel) ?? []).some(({ span }) => span.uniqueid !== uniqueid),
  };
}

function addTo(map: Map<string, Seen[]>, name: string, seen: Seen): void {
  putLast(map, name, [...(map.get(name) ?? []), seen].slice(-maxOfName));
}

/** A full map loses the name whose newest record is the oldest. */
function putLast<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > maxLegs) map.delete(map.keys().next().value as string);
}

type Seen = { readonly record: CdrRecord; readonly span: Span };

/** The time of a call until the end of one of its records, Unix s; `since`: when that record began, or earlier. */
type Span = {
  readonly uniqueid: string;
  readonly from: number;
  readonly since: number;
  readonly to: number;
};

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
