/** How the PBX writes its records: options of `[general]` in cdr.conf. */
export type RecordOptions = {
  /** For how long Asterisk holds records back (`batch`, `time`), ms. */
  readonly delayMs: number;
  /**
   * `ignoredialchanges`: a record has another end only if the two were in a bridge, and its disposition is that of the
   * leg that was cancelled last.
   * @see https://docs.asterisk.org/Latest_API/API_Documentation/Module_Configuration/cdr/
   */
  readonly ignoresDialChanges: boolean;
  /** `systemname` of asterisk.conf, '' for none: its uniqueids are `systemname-seconds.count`. */
  readonly systemname: string;
};

/** What counts until the PBX has said otherwise: Asterisk's defaults. */
export const usualRecords: RecordOptions = {
  delayMs: 0,
  ignoresDialChanges: false,
  systemname: '',
};

/** `systemname`: as in asterisk.conf. The count has up to seven digits: ten million channels since the start. */
export function longestUniqueid(systemname: string): number {
  return (systemname === '' ? 0 : systemname.length + 1) + '1800000000.1234567'.length;
}

/** One entry of Asterisk's call records. */
export type Entry<Position> = {
  readonly record: CdrRecord | RecordFault;
  /** Reading from this position returns the entry again. */
  readonly from: Position;
};

/** `bad`: not a call record; `no-uniqueid`: one without a uniqueid; `cut-uniqueid`: its column has cut off too much of it. */
export type RecordFault = 'bad' | 'no-uniqueid' | 'cut-uniqueid';

export type Chunk<Position> = {
  /** Complete entries only; one that is being written comes with the next chunk. */
  readonly entries: readonly Entry<Position>[];
  /** The position of the next chunk. */
  readonly next: Position;
  /** True if there is no more to read now. */
  readonly atEnd: boolean;
  /** True if the records read last are gone, and reading began again at the first existing one. */
  readonly restarted: boolean;
};

/**
 * A source of Asterisk's call records. A position is plain data, stored as JSON between two runs of the program. Methods
 * reject if the source cannot be read, with `RecordsRefused` if an operator must change something.
 */
export type RecordSource<Position> = {
  /** For people, such as a path; never contains a password. Another name means another source. */
  readonly name: string;
  /** Parses a position from JSON; undefined if invalid. */
  positionOf(value: unknown): Position | undefined;
  /** The position after all existing records. */
  end(): Promise<Position>;
  /**
   * The position before the records of all calls that began since then, Unix ms, and the files of that time that cannot be
   * read, each with the reason.
   */
  beginning(since: number): Promise<{ readonly position: Position; readonly unread: readonly string[] }>;
  /** Reads the next chunk, of bounded size. `thorough`: after a gap, when no record may be missed for speed. */
  read(from: Position, how: { readonly thorough: boolean }): Promise<Chunk<Position>>;
  /** How many characters of a uniqueid it has room for; known once it was read or probed. */
  idWidth(): number;
  /** Checks that the source can be read and used; resolves with a description for the operator. */
  probe(): Promise<string>;
  close(): Promise<void>;
};

/** The source cannot be used until an operator changes something: the problem in one line, and what to do. */
export class RecordsRefused extends Error {
  readonly todo: string;
  /** True if the source may appear by itself, with Asterisk's first record. */
  readonly mayCome: boolean;
  constructor(message: string, todo: string, { mayCome = false } = {}) {
    super(message);
    this.todo = todo;
    this.mayCome = mayCome;
  }
}

/**
 * The fields used of one of Asterisk's call records (CDR); a call can have several. Its times are local without a zone,
 * unless `usegmtime=yes`, and only compared with each other. The uniqueid identifies the call and contains when it began,
 * in UTC.
 */
export type CdrRecord = {
  readonly src: string;
  readonly dst: string;
  readonly dcontext: string;
  readonly channel: string;
  /** The channel at the other end; '' if there was none. */
  readonly dstchannel: string;
  readonly lastapp: string;
  readonly lastdata: string;
  /** `ANSWERED`, `NO ANSWER`, `BUSY`, `FAILED`, `CONGESTION`. */
  readonly disposition: string;
  readonly uniqueid: string;
  /** The number called from outside, which FreePBX records for inbound calls; '' otherwise. */
  readonly did: string;
  /** When it began: local s, read as if UTC; undefined if the source does not have it. */
  readonly start?: number | undefined;
  /** Seconds; undefined if the source does not have it. */
  readonly duration?: number | undefined;
};

/** The local time `2026-11-20 06:49:46` in seconds, read as if UTC; undefined if it is none. */
export function localSeconds(text: string): number | undefined {
  return secondsOf(String(Date.parse(`${text.replace(' ', 'T')}Z`) / 1_000));
}

/** In autumn, clocks go back by an hour; one that is set back by less was wrong. Both in seconds. */
const autumn = { back: 3_600, least: 600 } as const;

/** Seconds from one of a call's local times to one that is later, though less perhaps: in autumn, an hour comes twice. */
export function secondsBetween(earlier: number, later: number): number {
  const seconds = later - earlier;
  return Math.max(seconds < -autumn.least ? seconds + autumn.back : seconds, 0);
}

/** A number of seconds; undefined if the text is none. */
export function secondsOf(text: string): number | undefined {
  const seconds = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) ? seconds : undefined;
}
