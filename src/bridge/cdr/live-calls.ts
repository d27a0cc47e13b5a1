import type { DecisionName } from '../calls/decisions.ts';
import type { JournalEntry } from '../calls/effect.ts';
import type { EndedUnseen } from '../calls/input.ts';
import type { Rules } from '../calls/rules.ts';
import type { RecordOptions } from './cdr-source.ts';

/** Calls as seen live over AMI. Keys are uniqueids. */
export type LiveCalls = {
  /** Number of snapshots of the PBX; each one ends a gap. */
  snapshots(): number;
  rules(): Rules;
  /** Endpoints of trunks. */
  trunks(): ReadonlySet<string>;
  /** True for an endpoint that the PBX's configuration does not let come in from outside. */
  isPhone(endpoint: string): boolean;
  /** True for a trunk on which a number counts as withheld where nothing says whether its caller allows it. */
  presumesWithheld(endpoint: string): boolean;
  /** How the PBX writes its records, as far as it is known. */
  recordOptions(): RecordOptions;
  /** The uniqueid if its call or channel is in progress, or was when the link ended. */
  knownAs(uniqueid: string): string | undefined;
  /** The same for a uniqueid whose last digits may be cut off: the whole one. */
  knownFrom(beginning: string): string | undefined;
  /** Open calls that are gone from the PBX, and whose end was not seen. */
  vanished(): ReadonlySet<string>;
  /** Ends one of those. */
  end(ended: Omit<EndedUnseen, 'type'>): void;
  /** Adds a line to the journal, for `explain`. */
  writeJournal(entry: JournalEntry): void;
  /** Counts a decision about a call, and logs it. */
  logDecision(decision: DecisionName, id: string, why: string): void;
};
