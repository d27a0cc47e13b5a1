import { matchesGlob } from 'node:path';
import type { CallBackOutcome } from '../../../src/shared/api/contract/bridge-call-backs.ts';
import type { CallExtras, Missed } from '../../../src/shared/api/contract/call-extras.ts';
import { didOf } from './dialplan.ts';
import type { Version } from './install.ts';
import { mobileNumber, receptionNumber } from './office-numbers.ts';
import type { Office } from './offices.ts';
import type { Script } from './sip-script.ts';
import type { Stage } from './stage.ts';

/** One row of the matrix: what happens on the telephone, and what the API must be reported of it. */
export type Row = {
  /** Kebab-case; also the name of the recording's folder. */
  readonly name: string;
  /** What happens, in telephone words. */
  readonly says: string;
  /**
   * What the PBX does with the caller (see `Route`); without it nobody calls in. What is answered or given up may ring
   * for 20 s: on a busy machine a phone is late.
   */
  readonly dialplan?: readonly string[];
  /** The office's phones that take part, by number, and what each does when it is called. */
  readonly phones?: Readonly<Record<number, Script>>;
  /** What the office's mobile does when it is called over the trunk. */
  readonly mobile?: Script;
  /** Plays the row. It is over when this is over and the office has no channel left. */
  play(stage: Stage): Promise<void>;
  /** One entry per inbound call that must be reported, in the order in which they come in; empty: nothing is reported. */
  readonly reported: readonly ExpectedReport[];
  /** The inbound channels of this row that must not be reported: how many (default 0). */
  readonly unreported?: number;
  /**
   * What Asterisk's call records do not know, and what is reported from them instead, by a bridge that was not running
   * during the calls: one entry for each inbound channel, in the order in which they come in.
   */
  readonly fromRecords?: { readonly why: string; readonly reported: readonly ExpectedReport[] };
  /** Where the call that was missed ended, as the bridge says with API_EXTRAS; not compared when absent. */
  readonly missed?: ExpectedMissed;
  /**
   * Of the row's first call, whose phones rang and who talked, in order, as the bridge says with API_EXTRAS; live only. Phones that
   * begin to ring at the same time come in any order. Not compared when absent.
   */
  readonly who?: { readonly rang: readonly Answerer[]; readonly talked: readonly Answerer[] };
  /**
   * What the bridge tells of the office's mobile, which waits for a call back unless it says otherwise (CALL_BACKS), by which phone; live
   * only. Nothing is asked when absent.
   */
  readonly callBacks?: {
    readonly doesNotWait?: true;
    readonly told: readonly { readonly reached: boolean; readonly by?: number }[];
  };
  /** Settings of the bridge that differ from the lab's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Played on this version only. */
  readonly only?: Version;
};

/** Somebody of the office. */
type Answerer = number | 'mobile' | 'reception';

/** What is reported of one call: ringing, answered if somebody answered, completed. */
export type ExpectedReport = {
  /** As the API must get it; by default the number of the row's caller. */
  readonly from?: string;
  /**
   * The person who answered: the nth phone, the mobile, the reception by its own number, or somebody at another line of the
   * provider's. `trunk`: by the name of the trunk, since no record says who it was. Absent: missed.
   */
  readonly answeredBy?: Answerer | 'elsewhere' | 'trunk';
  /** A missed call that Asterisk's own records count as answered: by a machine, or by what has no record. */
  readonly recordedAsAnswered?: true;
};

export type ExpectedMissed = {
  /** Heard live. In a name, `{O}` is the office and `{1}` the extension of its first phone. */
  readonly live: Omit<Missed, 'after'>;
  /** What records say; the same without `by` when absent. */
  readonly records?: Pick<Missed, 'where' | 'name'>;
};

/** An event as the API must have it. */
export type ReportedEvent = {
  readonly status: 'ringing' | 'answered' | 'completed';
  readonly caller_id?: string;
};

export type ExpectedCall = { readonly from: string; readonly reported: readonly ReportedEvent[] };

/** The settings of the bridge for rows that have none of their own. */
export const labSettings: Readonly<Record<string, string>> = { DEFAULT_COUNTRY: 'DE', API_EXTRAS: 'yes' };

/** The number that the row's customer calls from: Hamburg's fictional ones. */
export function customerOf(rowIndex: number, office: Office): string {
  return `+494066969${didOf(rowIndex, office.number).slice(9)}`;
}

export function expectedCalls(
  row: { readonly reported: readonly ExpectedReport[] },
  rowIndex: number,
  office: Office,
): ExpectedCall[] {
  return row.reported.map(({ from = customerOf(rowIndex, office), answeredBy }) => {
    if (answeredBy === undefined) return { from, reported: [{ status: 'ringing' }, { status: 'completed' }] };
    if (answeredBy === 'elsewhere')
      return { from, reported: [{ status: 'ringing' }, { status: 'answered' }, { status: 'completed' }] };
    const caller_id = answeredBy === 'trunk' ? 'trunk' : callerIdOf(answeredBy, office);
    return {
      from,
      reported: [
        { status: 'ringing' },
        { status: 'answered', caller_id },
        { status: 'completed', caller_id },
      ],
    };
  });
}

/** What is wrong with what was told of calls to people who wait for a call back. */
export function callBackFaults(
  { callBacks }: Pick<Row, 'callBacks'>,
  office: Office,
  outcomes: readonly CallBackOutcome[],
): string[] {
  const told = outcomes.map(
    ({ number, talked, by, ended_ago }) =>
      `${number} ${talked === undefined ? 'not reached' : 'reached'} by ${by}${ended_ago > 60 || (talked ?? 0) > 60 ? ', at a wrong time' : ''}`,
  );
  const expected = (callBacks?.told ?? []).map(
    ({ reached, by }) =>
      `${mobileNumber(office)} ${reached ? 'reached' : 'not reached'} by ${by === undefined ? by : office.extension(by)}`,
  );
  if (told.join() === expected.join()) return [];
  return [`call backs told: ${told.join() || 'none'}, not ${expected.join() || 'none'}`];
}

/** What is wrong with what was sent of who rang and who talked, all within a minute. */
export function whoFaults(
  { who }: Pick<Row, 'who'>,
  office: Office,
  extras: readonly CallExtras[],
): string[] {
  if (who === undefined) return [];
  const { rang = [], talked = [] } = extras.at(-1) ?? {};
  const faults: string[] = [];
  const compare = (what: string, found: readonly string[], wanted: readonly string[]) => {
    if (found.join() !== wanted.join())
      faults.push(`${what} ${found.join() || 'nobody'}, not ${wanted.join() || 'nobody'}`);
  };
  const named = (people: readonly Answerer[]) => people.map((one) => callerIdOf(one, office));
  compare('rang', rang.map(({ by }) => by).sort(), named(who.rang).sort());
  // Who comes back at once has not left; a busy machine takes longer than that.
  const inOrder = (people: readonly string[]) => [...new Set(people)];
  compare('talked', inOrder(talked.map(({ by }) => by)), inOrder(named(who.talked)));
  const times = [
    ...rang.flatMap((one) => [one.from, one.for]),
    ...talked.flatMap(({ from, to = -1 }) => [from, to - from]),
  ];
  if (times.some((ms) => ms < 0 || ms > 60_000)) faults.push(`times ${JSON.stringify({ rang, talked })}`);
  return faults;
}

function callerIdOf(answeredBy: Answerer, office: Office): string {
  if (answeredBy === 'mobile') return mobileNumber(office);
  return answeredBy === 'reception' ? receptionNumber(office) : office.extension(answeredBy);
}

/** True if the name matches one of these globs, which have commas between them. */
export const matchesRows = (name: string, globs: string): boolean =>
  globs.split(',').some((glob) => matchesGlob(name, glob));

/** Those of the globs that match none of the names. */
export const unmatchedRows = (globs: string, names: readonly string[]): string[] =>
  globs.split(',').filter((glob) => !names.some((name) => matchesGlob(name, glob)));
