import type { ExtendedCallEvent } from '../../shared/api/contract/call-event.ts';
import { beganAt, callIdOf } from '../calls/open-call.ts';
import type { LedgerEntry } from '../outbox/tables/ledger.ts';
import type { RecordFault, RecordSource } from './cdr-source.ts';
import { readsBeforeDecision } from './due-calls.ts';
import type { LiveCalls } from './live-calls.ts';
import { createPendingCalls, type PendingCall } from './pending-calls.ts';
import { extrasOfRecorded } from './record-extras.ts';
import { recordedCallOf, unknownTrunkOf } from './recorded-call.ts';

/** An inbound call of the past, decided by the rules of a gap. Times are Unix ms. */
export type PastCall = {
  readonly id: string;
  readonly began: number;
  /** Reading from this position returns its records again. */
  readonly from: unknown;
} & (
  | { readonly is: 'answered' | 'missed'; readonly event: ExtendedCallEvent }
  | { readonly is: 'known'; readonly why?: never }
  | { readonly is: 'unreported'; readonly why: string }
);

type Known = Pick<LiveCalls, 'rules' | 'trunks' | 'isPhone' | 'presumesWithheld' | 'recordOptions'>;

/** Strangers choose the names of chan_sip's guests. */
const MOST_UNKNOWN = 50;

/** Reads the calls of a period from a source, from a position on. */
export function createPastReader(
  source: RecordSource<unknown>,
  { since, until }: { readonly since: number; readonly until: number },
  start: unknown,
  {
    live,
    ledgerEntries,
  }: {
    readonly live: Known;
    readonly ledgerEntries: (callIds: readonly string[]) => Promise<ReadonlyMap<string, LedgerEntry>>;
  },
) {
  /** Why records are left out, one for each. */
  let leftOut: string[] = [];
  const unknown = new Set<string>();
  const isWanted = (uniqueid: string) => {
    const began = beganAt({ uniqueid });
    return began >= since && began < until;
  };
  const pending = createPendingCalls(live.recordOptions, ({ uniqueid }, systemname) => {
    if (isWanted(uniqueid))
      leftOut.push(
        `a record without the systemname ${systemname}: of another PBX, or of before that name was set`,
      );
  });
  let position = start;
  let reads = 0;

  function decided(
    uniqueid: string,
    call: PendingCall,
    known: ReadonlySet<string>,
  ): PastCall | { readonly other: string } {
    const rules = live.rules();
    const { isPhone, presumesWithheld } = live;
    const context = { rules, trunks: live.trunks(), isPhone, presumesWithheld, legs: call.legs };
    const recorded = recordedCallOf(context, call.records);
    const id = callIdOf(rules.pbxId, uniqueid);
    if (!recorded.inbound) {
      const endpoint = unknownTrunkOf(context, call.records);
      if (endpoint !== undefined) leftOut.push(unknownTrunk(endpoint));
      return { other: id };
    }
    const at = { id, began: beganAt({ uniqueid }), from: call.from };
    if (known.has(id)) return { ...at, is: 'known' };
    const { number, callerId, extras } = recorded;
    if ('reason' in number) return { ...at, is: 'unreported', why: number.why };
    const event: ExtendedCallEvent = {
      id,
      direction: 'inbound',
      status: 'completed',
      from: number.from,
      ...(callerId !== undefined && { caller_id: callerId }),
      extras: {
        ...extrasOfRecorded(extras, 'completed', true),
        past: { began: new Date(at.began).toISOString() },
      },
    };
    return { ...at, is: callerId === undefined ? 'missed' : 'answered', event };
  }

  function unknownTrunk(endpoint: string): string {
    if (unknown.size < MOST_UNKNOWN) unknown.add(endpoint);
    return unknown.has(endpoint)
      ? `a call of ${endpoint}, which is no known trunk; if it was one: pbx-bridge trunks add ${endpoint}`
      : 'a call of another endpoint that is no known trunk';
  }

  return {
    /** The calls whose records are all there, in order; `others`: the ids of those that are not inbound. */
    async read(): Promise<{
      calls: PastCall[];
      others: string[];
      faults: RecordFault[];
      leftOut: readonly string[];
      atEnd: boolean;
      restarted: boolean;
    }> {
      leftOut = [];
      const { entries, next, atEnd, restarted } = await source.read(position, { thorough: true });
      reads += 1;
      position = next;
      const faults = entries.flatMap(({ record }) => (typeof record === 'string' ? [record] : []));
      for (const { record, from } of entries)
        if (typeof record !== 'string') pending.add(record, from, reads);
      const due = [...pending.calls].filter(([, { read }]) => atEnd || reads - read >= readsBeforeDecision);
      for (const [uniqueid] of due) pending.calls.delete(uniqueid);
      const wanted = due.filter(([uniqueid]) => isWanted(uniqueid));
      const idOf = ([uniqueid]: (typeof due)[number]) => callIdOf(live.rules().pbxId, uniqueid);
      const known = wanted.length === 0 ? new Map() : await ledgerEntries(wanted.map(idOf));
      const ids = new Set(known.keys());
      const all = wanted.map(([uniqueid, call]) => decided(uniqueid, call, ids));
      return {
        calls: all.flatMap((call) => ('other' in call ? [] : [call])),
        others: all.flatMap((call) => ('other' in call ? [call.other] : [])),
        faults,
        leftOut,
        atEnd,
        restarted,
      };
    },
    /** Reading from here returns the records of all calls that were not returned yet. */
    position: (): unknown => pending.calls.values().next().value?.from ?? position,
  };
}
