import { askAgi } from '../bridge/agi/agi-client.ts';
import { maskNumbers } from '../shared/log/redact.ts';
import { monotonicMs } from '../shared/process/clock.ts';
import { messageOf } from '../shared/process/parse-json.ts';
import { type Context, exitCodes } from './command-context.ts';
import { agiSection } from './config/agi-section.ts';
import { loadConfig } from './config/env.ts';
import { readOwnStatus } from './read-status.ts';

/** Shows what the dialplan would get for a number now, and why. */
export async function ask(
  context: Context,
  number: string,
  { showNumbers }: { readonly showNumbers?: boolean },
): Promise<number> {
  const { io, terminal, json, printError } = context;
  const failed = (why: string) => {
    printError(why);
    return exitCodes.failed;
  };
  const environment = io.environment();
  const { agi } = loadConfig({ agi: agiSection }, environment);
  if (agi === undefined) return failed('AGI_LISTEN is off: the bridge answers no lookups');
  const { host, port, deadlineMs } = agi.server;
  if (port === 0) return failed('AGI_LISTEN has port 0: set the port that the dialplan asks');
  // Of another program's FastAGI server, nothing may be asked: FreePBX's ends when it does not have the script.
  const running = await readOwnStatus(environment);
  if (!running.ok) return failed(running.why);
  if (!running.status.lookups?.listening)
    return failed(`the bridge does not listen at AGI_LISTEN (${host}:${port}): see pbx-bridge status`);

  const began = monotonicMs();
  const query = new URLSearchParams({ queue_prio: 'yes', set_name: 'yes', more: 'yes' });
  const address = `priority?${query}&number=${encodeURIComponent(number)}`;
  const at = { host: host.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1'), port };
  const answer = await askAgi(at, address, deadlineMs + 5_000).catch((error: unknown) => messageOf(error));
  const ms = monotonicMs() - began;
  if (typeof answer === 'string')
    return failed(`the bridge cannot be asked at ${at.host}:${port}: ${answer}`);
  const { CALLER_PRIORITY_STATUS: status } = answer.variables;
  if (status === undefined)
    return failed(
      `the bridge gave no answer at ${at.host}:${port}: AGI_ALLOW must have the address of this machine, and pbx-bridge status says what is wrong`,
    );

  const show = showNumbers ? (text: string) => text : maskNumbers;
  const variables = Object.entries(answer.variables).map(([name, value]) => [name, show(value)] as const);
  const why = show(/\([A-Z]+\): (.*)$/.exec(answer.console ?? '')?.[1] ?? '');
  if (json) terminal.json({ variables: Object.fromEntries(variables), why, ms, deadlineMs });
  else {
    const width = Math.max(...variables.map(([name]) => name.length)) + 2;
    for (const [name, value] of variables) terminal.wrapped(name.padEnd(width), value || '(empty)', width);
    terminal.print('');
    terminal.wrapped('', `${status}: ${why}. Answered in ${ms} ms; AGI_DEADLINE_MS is ${deadlineMs}.`, 0);
  }
  return status === 'FOUND' || status === 'NOTFOUND' ? exitCodes.ok : exitCodes.problem;
}
