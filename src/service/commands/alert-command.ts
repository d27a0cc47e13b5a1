import type { Command } from 'commander';
import { noTargets, sendTestAlert } from '../../shared/alerts/test-alert.ts';
import { alertName, serviceAlertTargets } from '../upkeep/service-alerts.ts';
import { type CommandContext, CommandRefused } from './command-context.ts';

export function alertCommand(parent: Command, { print, io }: CommandContext): void {
  parent
    .command('alert')
    .description('send a test alert')
    .command('test')
    .description('send a test alert to ALERT_MAIL and ALERT_WEBHOOK; the service need not run')
    .action(async () => {
      const { alerts, mail } = io.alerts();
      const targets = serviceAlertTargets(alerts, mail, alertName(io.options().hosts));
      if (targets.length === 0) throw new CommandRefused(noTargets);
      const results = await sendTestAlert(targets, Date.now());
      print(...results.map(({ line }) => line));
      if (!results.every(({ ok }) => ok)) throw new CommandRefused('not every test alert was accepted');
    });
}
