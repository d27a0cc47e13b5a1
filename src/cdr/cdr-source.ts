import type { CdrRecord } from './cdr-record.ts';

/** One entry of Asterisk's call records, as it was found. */
export type Entry<Position> = {
  /** `bad`: it is no record; `no-uniqueid`: it is one that does not say of which call. */
  readonly record: CdrRecord | 'bad' | 'no-uniqueid';
  /** Reading from here gives it again. */
  readonly from: Position;
};

export type Chunk<Position> = {
  /** Whole entries only; one that is being written comes with the next chunk. */
  readonly entries: readonly Entry<Position>[];
  /** Where to read on. */
  readonly next: Position;
  /** True if this was all for now. */
  readonly atEnd: boolean;
  /** True if what was read last is gone: it is read from the beginning of what is there now. */
  readonly lost: boolean;
};

/**
 * Where Asterisk keeps its call records. A position is plain data, kept as JSON between two runs of the program. What
 * cannot be read is thrown, as `RecordsRefused` where somebody must change something.
 */
export type RecordSource<Position> = {
  /** As people know it, such as a path; never has a password in it. Another name is another place. */
  readonly name: string;
  /** The position that this JSON value is; undefined if it is none. */
  positionOf(value: unknown): Position | undefined;
  /** After all that is there: to begin from now. */
  end(): Promise<Position>;
  /**
   * Reads on, a bounded piece at a time. `thorough`: there was a gap, so that nothing may be missed for the sake of
   * speed.
   */
  read(from: Position, how: { readonly thorough: boolean }): Promise<Chunk<Position>>;
  /** Tries whether it can be read and has what is needed; gives what was found, in words. */
  probe(): Promise<string>;
  close(): Promise<void>;
};

/** The records cannot be used before somebody changes something: what is wrong in one line, and what to do. */
export class RecordsRefused extends Error {
  readonly todo: string;
  /** True if it may come right by itself, with Asterisk's first record. */
  readonly mayCome: boolean;
  constructor(message: string, todo: string, { mayCome = false } = {}) {
    super(message);
    this.todo = todo;
    this.mayCome = mayCome;
  }
}
