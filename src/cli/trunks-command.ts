import { createRules } from '../bridge/calls/rules.ts';
import { readTrunk, storedTrunk } from '../bridge/calls/trunk.ts';
import { type Context, exitCodes, openForChange, openState } from './command-context.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';
import { callsText, classifyTrunk } from './text/trunk-text.ts';

/** Lists the known trunks with the evidence. */
export async function list(context: Context): Promise<number> {
  const { outbox, calls } = settingsOf(context);
  using reader = openState(context, outbox.stateDir);
  if (reader === undefined) return exitCodes.failed;
  const known = reader.trunks().flatMap((row) => readTrunk(row) ?? []);
  const rules = createRules(calls);
  const rows = known.map((trunk) => ({ ...trunk, ...classifyTrunk(trunk, rules) }));
  const { terminal } = context;
  if (context.json) terminal.json(rows);
  else if (rows.length === 0)
    terminal.print('no trunk is known yet; pbx-bridge check lists those of the PBX');
  const width = Math.max(0, ...rows.map(({ endpoint }) => endpoint.length)) + 2;
  for (const row of context.json ? [] : rows) {
    const sign = row.isTrunk ? '' : 'not a trunk now: ';
    terminal.wrapped(
      row.endpoint.padEnd(width),
      `${sign}${[row.why, ...callsText(row.endpoint, row, rules)].join('; ')}`,
      width,
    );
  }
  return rows.length > 0 ? exitCodes.ok : exitCodes.notFound;
}

/** Makes this endpoint a trunk, without any evidence. */
export async function add(context: Context, endpoint: string): Promise<number> {
  if (!/^\w+\/[^\s/]+$/.test(endpoint)) {
    context.printError(`${endpoint} is no endpoint: give technology and name, such as PJSIP/provider`);
    return exitCodes.failed;
  }
  using operator = openForChange(settingsOf(context).outbox.stateDir);
  operator.addTrunk(endpoint, storedTrunk({ endpoint, source: 'added', context: '' }).state);
  context.printResult(
    { endpoint },
    `${endpoint} is a trunk from now on; a running bridge knows it within seconds`,
  );
  return exitCodes.ok;
}

/** Deletes the evidence that this endpoint is a trunk. */
export async function forget(context: Context, endpoint: string): Promise<number> {
  using operator = openForChange(settingsOf(context).outbox.stateDir);
  if (!operator.forgetTrunk(endpoint)) {
    context.printError(`${endpoint} is not known; see pbx-bridge trunks`);
    return exitCodes.notFound;
  }
  context.printResult(
    { endpoint },
    `${endpoint} is forgotten, by a running bridge within seconds. An inbound call on it, or its context in the configuration of the PBX, makes it known again.`,
  );
  return exitCodes.ok;
}

function settingsOf({ io }: Context) {
  return loadConfig({ outbox: outboxSection, calls: callsSection }, io.environment());
}
