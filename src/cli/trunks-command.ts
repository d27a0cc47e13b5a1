import { createRules } from '../bridge/calls/rules.ts';
import { readTrunk, storedTrunk } from '../bridge/calls/trunk.ts';
import { type Operator, openOperator } from '../bridge/outbox/operator.ts';
import { type Context, exitCodes, openState } from './command-context.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';
import { callsText, classifyTrunk } from './text/trunk-text.ts';

/** Lists the known trunks with the evidence. */
export async function list(context: Context): Promise<number> {
  const { outbox, calls } = settingsOf(context);
  const reader = openState(context, outbox.stateDir);
  if (reader === undefined) return exitCodes.failed;
  const known = reader.trunks().flatMap((row) => readTrunk(row) ?? []);
  reader.close();
  const rules = createRules(calls);
  const rows = known.map((trunk) => ({ ...trunk, ...classifyTrunk(trunk, rules) }));
  const { terminal } = context;
  if (context.json) terminal.json(rows);
  else if (rows.length === 0)
    terminal.print('no trunk is known yet; pbx-bridge check lists those of the PBX');
  const width = Math.max(0, ...rows.map(({ endpoint }) => endpoint.length)) + 2;
  for (const row of context.json ? [] : rows) {
    const sign = row.isTrunk ? '' : 'not a trunk now: ';
    terminal.wrapped(row.endpoint.padEnd(width), `${sign}${[row.why, ...callsText(row)].join('; ')}`, width);
  }
  return rows.length > 0 ? exitCodes.ok : exitCodes.notFound;
}

/** Makes this endpoint a trunk, without any evidence. */
export async function add(context: Context, endpoint: string): Promise<number> {
  if (!/^\w+\/[^\s/]+$/.test(endpoint)) {
    context.printError(`${endpoint} is no endpoint: give technology and name, such as PJSIP/provider`);
    return exitCodes.failed;
  }
  return change(context, (operator) => {
    operator.addTrunk(endpoint, storedTrunk({ endpoint, source: 'added', context: '' }).state);
    return say(
      context,
      endpoint,
      `${endpoint} is a trunk from now on; a running bridge knows it within seconds`,
    );
  });
}

/** Deletes the evidence that this endpoint is a trunk. */
export async function forget(context: Context, endpoint: string): Promise<number> {
  return change(context, (operator) => {
    if (operator.forgetTrunk(endpoint))
      return say(
        context,
        endpoint,
        `${endpoint} is forgotten, by a running bridge within seconds. An inbound call on it, or its context in the configuration of the PBX, makes it known again.`,
      );
    context.printError(`${endpoint} is not known; see pbx-bridge trunks`);
    return exitCodes.notFound;
  });
}

function settingsOf({ io }: Context) {
  return loadConfig({ outbox: outboxSection, calls: callsSection }, io.environment());
}

function change(context: Context, work: (operator: Operator) => number): number {
  const { stateDir } = settingsOf(context).outbox;
  const operator = openOperator(stateDir);
  if (operator === undefined) throw new Error(`no state in ${stateDir}: start the bridge once`);
  try {
    return work(operator);
  } finally {
    operator.close();
  }
}

function say({ terminal, json }: Context, endpoint: string, text: string): number {
  if (json) terminal.json({ endpoint });
  else terminal.wrapped('', text, 0);
  return exitCodes.ok;
}
