import { bridgeAlertTargets } from '../bridge/bridge-alerts.ts';
import { noTargets, sendTestAlert } from '../shared/alerts/alert-targets.ts';
import { type Context, exitCodes } from './command-context.ts';

/** Sends a test alert and prints what became of it. */
export async function testAlerts(context: Context): Promise<number> {
  const targets = bridgeAlertTargets(context.config());
  if (targets.length === 0) {
    context.printError(noTargets);
    return exitCodes.failed;
  }
  const results = await sendTestAlert(targets, Date.now());
  if (context.json) context.terminal.json({ results });
  else for (const { line } of results) context.terminal.print(line);
  return results.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.problem;
}
