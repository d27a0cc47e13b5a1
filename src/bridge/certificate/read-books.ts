import { setTimeout as wait } from 'node:timers/promises';
import type { ApiClient } from '../../shared/api/client.ts';
import { heldCallsSchema } from '../../shared/api/contract/bridge-calls.ts';
import { type ApiResult, apiErrorKinds } from '../../shared/api/result.ts';
import { parseRetryAfter } from '../../shared/delivery/classify.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import { beganAt, isUniqueid } from '../calls/open-call.ts';
import type { RecordFault, RecordSource } from '../cdr/cdr-source.ts';
import type { LiveCalls } from '../cdr/live-calls.ts';
import { createPastReader } from '../cdr/past-reader.ts';
import type { Reader } from '../outbox/reader.ts';
import type { CallTable } from './call-table.ts';
import type { Month } from './month.ts';

/** A certificate cannot be made: why, in one line. */
export class NoCertificate extends Error {}

/** Waits, ms. */
export const certificatePace = {
  /** Between two chunks: the PBX, the bridge and the API have other work. */
  chunk: 20,
  /** Before a refused request is sent again, the first time; then twice as long. */
  again: 1_000,
};

/** Requests for a page that is refused or fails. */
const ATTEMPTS = 7;
/** Longest wait between two of them, ms. */
const LONGEST_WAIT_MS = 60_000;

type Tools = { readonly pace: typeof certificatePace; readonly signal: AbortSignal };

/** Reads the month's call records, by the rules of a gap. */
export async function readRecords(
  source: RecordSource<unknown>,
  { since, until }: Month,
  table: CallTable,
  live: Pick<LiveCalls, 'rules' | 'trunks' | 'isPhone' | 'presumesWithheld' | 'recordOptions'>,
  { pace, signal }: Tools,
): Promise<{ readonly unread: readonly string[]; readonly faults: ReadonlyMap<RecordFault, number> }> {
  const { position, unread } = await source.beginning(since);
  const ledgerEntries = async () => new Map();
  const reader = createPastReader(source, { since, until }, position, { live, ledgerEntries });
  const headLength = live.rules().pbxId.length + 1;
  const faults = new Map<RecordFault, number>();
  for (;;) {
    const read = await reader.read();
    for (const fault of read.faults) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    const isCut = (id: string) => id.length - headLength >= source.idWidth();
    const inbound = read.calls.map(({ id, ...call }) => ({
      ...{ id, record: 'inbound' as const, isCut: isCut(id) },
      ...(call.is === 'unreported' && { why: call.why }),
    }));
    const others = read.others.map((id) => ({ id, record: 'other' as const, isCut: isCut(id) }));
    table.addRecords([...inbound, ...others]);
    if (read.atEnd) return { unread, faults };
    await wait(pace.chunk, undefined, { signal });
  }
}

/** Reads the month's calls in the ledger. */
export async function readLedger(
  reader: Pick<Reader, 'ledgerEvents' | 'unreportedCalls' | 'openCalls'>,
  pbxId: string,
  { since, until }: Month,
  table: CallTable,
  { pace, signal }: Tools,
): Promise<void> {
  const head = `${pbxId}-`;
  const isOfMonth = (id: string): boolean => {
    if (!id.startsWith(head) || !isUniqueid(id.slice(head.length))) return false;
    const began = beganAt({ uniqueid: id });
    return began >= since && began < until;
  };
  for (const page of reader.ledgerEvents()) {
    table.addEvents(page.filter(({ callId }) => isOfMonth(callId)));
    await wait(pace.chunk, undefined, { signal });
  }
  for (const page of reader.unreportedCalls()) {
    table.addUnreported(page.filter(({ callId }) => isOfMonth(callId)));
    await wait(pace.chunk, undefined, { signal });
  }
  table.addOpen(reader.openCalls().filter(isOfMonth));
}

/**
 * Reads which calls of the month the API has. `heads`: what ids have before their seconds, `pbx-` or `pbx-systemname-`. Returns
 * since when it keeps calls, or why they cannot be compared.
 */
export async function readApi(
  heldCalls: ApiClient['heldCalls'],
  heads: readonly string[],
  { since, until }: Month,
  table: CallTable,
  tools: Tools,
): Promise<{ readonly since: number | undefined } | { readonly why: string }> {
  let keptSince: number | undefined;
  for (const head of heads)
    for (let from: string | null = `${head}${since / 1_000}`; from !== null; ) {
      const query = { from, to: `${head}${until / 1_000}` };
      const result = await patient(() => heldCalls(query), tools);
      if (result.status === 404 || result.status === 405)
        return { why: 'it does not list its calls: it is not the service of pbx-bridge, or an older one' };
      const page = heldCallsSchema.safeParse(parseJson(result.body)).data;
      if (result.status !== 200 || page === undefined) throw new NoCertificate(`HTTP ${result.status}`);
      table.addApi(page.calls.filter(({ id }) => isUniqueid(id.slice(head.length))));
      keptSince = page.since ?? undefined;
      from = page.next;
      await wait(tools.pace.chunk, undefined, { signal: tools.signal });
    }
  return { since: keptSince };
}

/** Asks again while the API limits requests, or is not there for a moment. */
async function patient(
  ask: () => Promise<ApiResult>,
  { pace, signal }: Tools,
): Promise<Extract<ApiResult, { kind: 'answer' }>> {
  for (let attempt = 1, ms = pace.again; ; attempt++, ms *= 2) {
    const result = await ask();
    const mayPass = result.kind === 'failed' || result.status === 429 || result.status >= 500;
    if (!mayPass) return result;
    if (attempt === ATTEMPTS)
      throw new NoCertificate(
        result.kind === 'failed' ? apiErrorKinds[result.error] : `HTTP ${result.status}`,
      );
    const asked = result.kind === 'answer' ? parseRetryAfter(result.retryAfter, Date.now()) : undefined;
    await wait(Math.min(Math.max(ms, asked ?? 0), LONGEST_WAIT_MS), undefined, { signal });
  }
}
