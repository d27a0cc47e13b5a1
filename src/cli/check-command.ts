import { inspectPbx } from '../bridge/ami/inspection.ts';
import { readTrunk, type Trunk } from '../bridge/calls/trunk.ts';
import type { Reader } from '../bridge/outbox/reader.ts';
import { createApiClient } from '../shared/api/client.ts';
import { historyPage } from '../shared/delivery/history-page.ts';
import { systemClock } from '../shared/process/clock.ts';
import { accountFinding, apiFindings, callBackFindings } from './check/api-findings.ts';
import { bridgesFindings } from './check/bridges-findings.ts';
import { type Finding, failed, passed, warning } from './check/finding.ts';
import { portFinding, stateDirFinding } from './check/machine-findings.ts';
import { cdrFinding, numberFindings, pbxFindings } from './check/pbx-findings.ts';
import { type BridgeSettings, type Context, exitCodes } from './command-context.ts';
import { EXIT_CONFIG, knownSettings } from './config/env.ts';
import { misspelt } from './config/misspelt-settings.ts';
import { ConfigError } from './config/variable.ts';
import { isOwn, readStatus, statusUrl } from './read-status.ts';
import { count } from './text/format-text.ts';

type CheckOptions = { readonly call?: string | true; readonly number?: string };

/** How long to listen for events, ms. A busy PBX sends some within this time. */
const listenMs = 1_000;
/** How long to wait for a test call, ms. */
const callListenMs = 30_000;

/** Runs all checks and prints their findings. Changes nothing. */
export async function check(
  context: Context,
  { call, number }: CheckOptions,
  stop: AbortSignal,
): Promise<number> {
  const findings: Finding[] = [];
  const add = (finding: Finding) => {
    findings.push(finding);
    if (!context.json) print(context, finding);
  };

  const { ENV_FILE, STATE_DIRECTORY } = context.io.environment();
  let config: BridgeSettings;
  try {
    config = context.config();
    add(passed('configuration', 'valid'));
    for (const { name, nearest } of misspelt(Object.keys(context.io.environment()), knownSettings()))
      add(warning('configuration', `unknown setting ${name}`, `If you mean ${nearest}, correct its name.`));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const where = ENV_FILE ?? '.env, or in the environment';
    for (const line of error.lines) add(failed('configuration', line, `Correct it in ${where}.`));
    if (context.json) context.terminal.json({ findings });
    return EXIT_CONFIG;
  }

  const { stateDir } = config.outbox;
  if (number !== undefined) {
    for (const finding of numberFindings(number, config.calls)) add(finding);
    return conclude(context, findings);
  }
  add(stateDirFinding(stateDir, stateDir === STATE_DIRECTORY));
  for (const finding of await bridgesFindings(context.io.environment(), read)) add(finding);
  const records = config.cdr && (await cdrFinding(config.cdr));
  if (records !== undefined) add(records.finding);
  for (const finding of await checkPorts(config)) add(finding);
  for (const finding of await checkPbx(context, config, { call, recordIdWidth: records?.idWidth }, stop))
    add(finding);
  for (const finding of await checkApi(config)) add(finding);
  return conclude(context, findings);
}

async function checkPorts({ status, agi, calls, outbox }: BridgeSettings): Promise<Finding[]> {
  const { runningBridge } = await import('../bridge/outbox/tables/database.ts');
  const bridge = runningBridge(outbox.stateDir);
  const found = status === undefined || status.port === 0 ? undefined : await readStatus(statusUrl(status));
  const ours = found?.ok && isOwn(found.status, calls.pbxId, bridge) ? found.status : undefined;
  const findings = [
    await portFinding('AGI_LISTEN', agi?.server, { listening: ours?.lookups?.listening, bridge }),
    await portFinding('STATUS_LISTEN', status, { listening: ours && true, bridge }),
  ];
  return findings.filter((it) => it !== undefined);
}

async function checkPbx(
  { terminal, json }: Context,
  { ami, calls, outbox }: BridgeSettings,
  { call, recordIdWidth }: { call: CheckOptions['call']; recordIdWidth: number | undefined },
  signal: AbortSignal,
): Promise<Finding[]> {
  const listenedMs = call === undefined ? 0 : call === true ? callListenMs : Number(call) * 1_000;
  if (!(listenedMs >= 0 && listenedMs <= 3_600_000)) throw new Error('--call takes seconds, up to 3600');
  if (listenedMs > 0 && !json) terminal.print(`  Make a test call now (${listenedMs / 1_000} s) ...`);
  const result = await inspectPbx(ami, Math.max(listenedMs, listenMs), { clock: systemClock, signal });
  const address = `${ami.host}:${ami.port}`;
  return pbxFindings(result, {
    ...ami,
    address,
    tls: ami.tls !== undefined,
    calls,
    listenedMs,
    known: await knownTrunks(outbox.stateDir),
    recordIdWidth,
  });
}

async function knownTrunks(stateDir: string): Promise<Trunk[]> {
  const known = await read(stateDir, (reader) => reader.trunks().flatMap((row) => readTrunk(row) ?? []));
  return known ?? [];
}

async function checkApi({ api, calls, outbox }: BridgeSettings): Promise<Finding[]> {
  const client = createApiClient({ ...api, connections: 1 });
  try {
    const last = await lastDelivered(outbox.stateDir);
    const result = await client.history({ searchTerm: last ?? 'pbx-bridge-check', limit: 1 });
    const findings = apiFindings(result, { ...api, now: Date.now() });
    if (api.callBacks)
      findings.push(...callBackFindings(await client.waitingNumbers(undefined), calls.defaultCountry));
    if (last === undefined || result.kind === 'failed') return findings;
    const page = historyPage(result.body);
    return page === undefined ? findings : [...findings, accountFinding(last, page.entries.length > 0)];
  } finally {
    await client.close();
  }
}

/** The last call delivered within a day; the API may no longer have older ones. */
async function lastDelivered(stateDir: string): Promise<string | undefined> {
  const filter = { state: 'delivered', since: Date.now() - 86_400_000, limit: 1 } as const;
  const [last] = (await read(stateDir, (reader) => reader.events(filter))) ?? [];
  return last?.callId;
}

/** What the state directory says; undefined if it is of another version or another user, or not there. */
async function read<T>(stateDir: string, question: (reader: Reader) => T): Promise<T | undefined> {
  const { openReader } = await import('../bridge/outbox/reader.ts');
  try {
    using reader = openReader(stateDir);
    return reader && question(reader);
  } catch {
    return undefined;
  }
}

const signs = { ok: ['green', 'ok  '], warning: ['yellow', 'warn'], error: ['red', 'FAIL'] } as const;

function print({ terminal }: Context, { what, result, verdict, todo }: Finding): void {
  const [colour, sign] = signs[verdict];
  terminal.wrapped(`${terminal.paint(colour, sign)}  `, `${what}: ${result}`, 6);
  if (todo !== undefined) terminal.wrapped('      -> ', todo, 9);
}

function conclude({ terminal, json }: Context, findings: readonly Finding[]): number {
  const number = (verdict: Finding['verdict']) => findings.filter((it) => it.verdict === verdict).length;
  const [faults, warnings] = [number('error'), number('warning')];
  if (json) terminal.json({ findings });
  else if (faults > 0) terminal.print(`\n${count(faults, 'error')}, ${count(warnings, 'warning')}.`);
  else terminal.print(warnings > 0 ? `\nNo errors, ${count(warnings, 'warning')}.` : '\nAll checks passed.');
  return faults > 0 ? exitCodes.problem : exitCodes.ok;
}
