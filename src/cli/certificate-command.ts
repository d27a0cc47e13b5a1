import { describeFailure } from '../bridge/ami/failure.ts';
import { readPbxConfiguration } from '../bridge/ami/pbx-configuration.ts';
import { createRules } from '../bridge/calls/rules.ts';
import { readTrunk } from '../bridge/calls/trunk.ts';
import { dayOf } from '../bridge/cdr/backfill-state.ts';
import { type RecordFault, RecordsRefused } from '../bridge/cdr/cdr-source.ts';
import { openSource } from '../bridge/cdr/open-cdr-source.ts';
import { type CallTable, createCallTable } from '../bridge/certificate/call-table.ts';
import { readMonth } from '../bridge/certificate/month.ts';
import {
  certificatePace,
  NoCertificate,
  readApi,
  readLedger,
  readRecords,
} from '../bridge/certificate/read-books.ts';
import { type Group, groupsOf, summaryOf, verdictOf } from '../bridge/certificate/summary.ts';
import { judgeRecordsBy } from '../bridge/known-calls.ts';
import type { Reader } from '../bridge/outbox/reader.ts';
import { newestDamaged } from '../bridge/outbox/recovery/damaged-file.ts';
import { databasePath } from '../bridge/outbox/tables/database.ts';
import { type ApiClient, createApiClient } from '../shared/api/client.ts';
import type { BridgeCertificate } from '../shared/api/contract/bridge-certificate.ts';
import { apiErrorKinds } from '../shared/api/result.ts';
import { maskNumbers } from '../shared/log/redact.ts';
import { systemClock } from '../shared/process/clock.ts';
import { messageOf } from '../shared/process/parse-json.ts';
import { type BridgeSettings, type Context, openState } from './command-context.ts';
import { ConfigError } from './config/variable.ts';
import { count } from './text/format-text.ts';

type CertificateOptions = { readonly month?: string; readonly send?: boolean };

/** Exit codes of this command, as those of `replay --expect`. */
const codes = { complete: 0, missing: 1, unproven: 2, notMade: 2 } as const;

/** Asterisk writes records when a call is over, and `batch` holds them back for up to 5 minutes, ms. */
const LATE_MS = 900_000;
/** Calls that are printed for one reason; JSON has more. */
const PRINTED = 10;

/** Compares the calls of a month by the PBX's records, by the bridge's ledger and by the API. */
export async function certificate(
  context: Context,
  { month, send = false }: CertificateOptions,
  signal: AbortSignal,
): Promise<number> {
  const { printError } = context;
  let client: ApiClient | undefined;
  try {
    const config = context.config();
    if (month === undefined) throw new NoCertificate('--month is missing: --month 2026-11');
    if (send && !config.api.extras)
      throw new NoCertificate('--send needs API_EXTRAS=yes: only the service of pbx-bridge takes it');
    client = createApiClient({ ...config.api, connections: 1 });
    using reader = openState(context, config.outbox.stateDir);
    if (reader === undefined) return codes.notMade;
    using table = createCallTable();
    const made = await make(config, { month, client, reader, table, signal });
    print(context, made);
    if (send) await sendTo(client, made);
    return codes[made.summary.verdict];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const why = error instanceof RecordsRefused ? `${error.message}. ${error.todo}` : messageOf(error);
    printError(signal.aborted ? 'stopped' : why);
    return codes.notMade;
  } finally {
    await client?.close();
  }
}

type Made = {
  readonly summary: BridgeCertificate;
  readonly groups: readonly Group[];
  readonly source: string;
  /** What was left out of the records. */
  readonly gaps: readonly string[];
  readonly ledgerSince: number;
  readonly apiUrl: string;
  /** Why the API cannot be compared. */
  readonly apiWhy: string | undefined;
};

type Tools = {
  readonly month: string;
  readonly client: ApiClient;
  readonly reader: Reader;
  readonly table: CallTable;
  readonly signal: AbortSignal;
};

async function make(
  { ami, api, calls, cdr, outbox }: BridgeSettings,
  { month: text, client, reader, table, signal }: Tools,
): Promise<Made> {
  const madeAt = Date.now();
  const month = readMonth(text, madeAt - LATE_MS);
  if (cdr === undefined)
    throw new NoCertificate(
      'CDR_SOURCE is not set: the records of the PBX are what the others are compared with',
    );
  const tools = { pace: certificatePace, signal };
  const asked = await readPbxConfiguration(ami, { clock: systemClock, signal });
  if (!asked.ok)
    throw new NoCertificate(
      `the PBX, which knows its phones and trunks, cannot be asked: ${describeFailure(asked.failure)}`,
    );
  const rules = createRules(calls, { hasGapFiller: true });
  const trunks = reader.trunks().flatMap((row) => readTrunk(row) ?? []);
  const source = await openSource(cdr);
  try {
    const live = judgeRecordsBy(rules, trunks, asked.configuration);
    const { unread, faults } = await readRecords(source, month, table, live, tools);
    await readLedger(reader, calls.pbxId, month, table, tools);
    const { systemname } = asked.configuration.records;
    const heads = new Set([...table.heads(), `${calls.pbxId}-${systemname === '' ? '' : `${systemname}-`}`]);
    const held = api.extras
      ? await readApi(client.heldCalls, [...heads], month, table, tools).catch(apiFails)
      : { why: 'API_EXTRAS is not yes: only the service of pbx-bridge lists its calls' };
    table.joinCutIds();
    const ledgerSince = madeAt - outbox.keepMs;
    const groups = groupsOf(table, {
      recordsUntil: madeAt - LATE_MS,
      stateSince: reader.backfill().bridgeSince,
      ledgerSince,
      damagedAt: (await newestDamaged(databasePath(outbox.stateDir)))?.at,
      ...(!('why' in held) && { api: held }),
    }).map((group) => ({ ...group, what: maskNumbers(group.what) }));
    const { records, bridge, api: inApi } = table.counts();
    const gaps = gapsOf(unread, faults, { records, others: Math.max(bridge, inApi) });
    return {
      summary: {
        ...month,
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        madeAt,
        verdict: verdictOf(groups, gaps.length === 0),
        ...{ records, bridge, ...(!('why' in held) && { api: inApi }) },
        differences: summaryOf(groups),
      },
      groups,
      source: source.name,
      gaps,
      ledgerSince,
      apiUrl: api.baseUrl,
      apiWhy: 'why' in held ? held.why : undefined,
    };
  } finally {
    await source.close();
  }
}

function apiFails(error: unknown): never {
  throw error instanceof NoCertificate
    ? new NoCertificate(`the calls of the API cannot be read: ${error.message}`)
    : error;
}

/** Why the records do not show the whole month. */
function gapsOf(
  unread: readonly string[],
  faults: ReadonlyMap<RecordFault, number>,
  { records, others }: { readonly records: number; readonly others: number },
): string[] {
  const faulty = (faults.get('no-uniqueid') ?? 0) + (faults.get('cut-uniqueid') ?? 0);
  const bad = faults.get('bad') ?? 0;
  return [
    ...unread,
    ...(faulty > 0 ? [`${count(faulty, 'record')} without a whole uniqueid`] : []),
    ...(bad > 0 ? [`${count(bad, 'line')} that cannot be read`] : []),
    ...(records === 0 && others > 0 ? ['no record of the month'] : []),
  ];
}

async function sendTo({ reportCertificate }: ApiClient, { summary }: Made): Promise<void> {
  const result = await reportCertificate(JSON.stringify(summary));
  const ok = result.kind === 'answer' && result.status === 200;
  if (ok) return;
  const why = result.kind === 'failed' ? apiErrorKinds[result.error] : `HTTP ${result.status}`;
  throw new NoCertificate(`the certificate was made, but could not be sent: ${why}`);
}

const verdicts = {
  complete: ['green', 'COMPLETE', 'every call of the records that is to be reported has arrived'],
  missing: ['red', 'NOT COMPLETE', 'calls are missing'],
  unproven: ['yellow', 'NOT PROVEN', 'some calls, or a part of the books, cannot be compared'],
} as const;

function print(
  { terminal, json }: Context,
  { summary, groups, source, gaps, ledgerSince, apiUrl, apiWhy }: Made,
): void {
  const { month, zone, since, until, verdict, records, bridge, api } = summary;
  if (json) {
    const listed = groups.map(({ difference, weight, what, count, calls }) => ({
      ...{ difference, weight, what, count, calls },
    }));
    terminal.json({ ...summary, source, gaps, ledgerSince, apiWhy, differences: listed });
    return;
  }
  terminal.wrapped(
    '',
    `Calls of ${month}, by when they began: ${localTime(since)} until ${localTime(until)}, ${zone}`,
    0,
  );
  const row = (name: string, calls: number | undefined, text: string) =>
    terminal.wrapped(`  ${name.padEnd(16)}${String(calls ?? '-').padStart(8)}  `, text, 28);
  const kept = `reported; since ${localTime(ledgerSince)}, older ones are deleted (OUTBOX_KEEP)`;
  row('PBX, by records', records, [source, ...gaps].join('; '));
  row('bridge', bridge, ledgerSince <= since ? 'reported' : kept);
  row('API', api, apiWhy === undefined ? apiUrl : `not comparable: ${apiWhy}`);
  for (const { weight, what, count, calls } of groups) {
    const colour = weight === 'missing' ? 'red' : weight === 'unproven' ? 'yellow' : 'dim';
    terminal.wrapped(`${terminal.paint(colour, String(count).padStart(6))}  `, what, 8);
    if (weight === 'explained' && count > PRINTED) continue;
    const more = count > PRINTED ? `, and ${count - PRINTED} more (--json)` : '';
    terminal.wrapped('        ', calls.slice(0, PRINTED).join(', ') + more, 8);
  }
  const [colour, word, text] = verdicts[verdict];
  terminal.wrapped(`${terminal.paint(colour, word)}: `, text, 2);
}

/** `2026-11-01 00:00`, local. */
function localTime(at: number): string {
  return `${dayOf(at)} ${new Date(at).toTimeString().slice(0, 5)}`;
}
