import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { outboxSchema } from '../../../src/bridge/outbox/tables/migrations.ts';
import { statusWith } from '../../../src/bridge/status/bridge-status.fixture.ts';
import { createMetrics } from '../../../src/bridge/status/metrics.ts';
import { EXIT_CODES_HELP } from '../../../src/cli/command-context.ts';
import { bridgeSections, type Sections } from '../../../src/cli/config/env.ts';
import { serviceSection } from '../../../src/cli/config/service-section.ts';
import { steps as postgresSteps } from '../../../src/service/store/postgres/migrations.ts';
import { serviceSchema } from '../../../src/service/store/sqlite/open.ts';
import { createMeter } from '../../../src/service/upkeep/meter.ts';
import { webhookEvents } from '../../../src/service/webhooks/webhook.ts';
import type { ReconcilerStatus } from '../../../src/shared/delivery/reconcile-state.ts';
import { type Message, messages } from '../../../src/shared/log/messages.ts';
import type { Step } from '../../../src/shared/storage/written-by.ts';
import { commandTree } from './command-tree.ts';
import { defaultOf } from './settings-page.ts';
import { ofService } from './stable-api.ts';

/** What others rely on, by kind: each thing is a line. */
export type Stable = Readonly<Record<string, readonly string[]>>;

/** What there is now. */
export async function stableNow(): Promise<Stable> {
  const metrics = [...createMetrics({ withProcess: false }).list(), ...createMeter().list()];
  const { api, bodies } = await ofService();
  const all = {
    settings: settings({ ...bridgeSections, service: serviceSection }),
    commands: [...commands(commandTree(), []), EXIT_CODES_HELP],
    metrics: metrics.map(
      ({ name, type, labels }) => `${type} ${name}${labels.map((label) => ` ${label}`).join('')}`,
    ),
    'values of labels': await labelValues(),
    'log codes': Object.entries<Message>(messages).map(
      ([code, { level, announced }]) => `${code} ${level}${announced ? ', announced' : ''}`,
    ),
    'webhook events': webhookEvents,
    'bodies of webhooks and /events': bodies,
    API: api,
    'steps of outbox.db': stepLines(outboxSchema.steps),
    'steps of service.db': stepLines(serviceSchema.steps),
    'steps of PostgreSQL': stepLines(postgresSteps),
  };
  return Object.fromEntries(Object.entries(all).map(([kind, lines]) => [kind, [...new Set(lines)].sort()]));
}

/** The values of labels that are not a version, a name or a bound, as far as they are known beforehand. */
async function labelValues(): Promise<string[]> {
  const metrics = createMetrics({ withProcess: false });
  for (const status of [undefined, 200, 302, 404, 503]) metrics.attempted(status, 1);
  const meter = createMeter();
  for (const route of ['/api/v1/voice', '/admin/account', '/calls'])
    for (const status of [200, 302, 404, 503]) meter.responded(route, status, 1);
  const { alerts } = statusWith();
  const readings = { accounts: 1, integrations: 1, screens: 0, alerts, backups: undefined };
  const reconcile: ReconcilerStatus = {
    state: 'ok',
    compared: 0,
    sentAgain: 0,
    overtaken: 0,
    gaveUp: 0,
    skipped: 0,
  };
  const texts = [
    await metrics.render({ ...statusWith({ lookups: {} }), reconcile }),
    await meter.render(
      {
        ...readings,
        startedAt: 0,
        storageWorking: true,
        webhooks: { delivered: 0, failed: 0, waiting: 0 },
      },
      '',
    ),
  ];
  return texts.flatMap((text) =>
    Array.from(text.matchAll(/^(\w+?)(?:_bucket|_sum|_count)?\{(.*)\} /gm)).flatMap(([, name, labels = '']) =>
      Array.from(labels.matchAll(/(\w+)="([^"]*)"/g))
        .filter(([, label = '']) => !['le', 'version', 'pbx_id'].includes(label))
        .map(([, label, value]) => `${name} ${label}="${value}"`),
    ),
  );
}

const settings = (sections: Sections) =>
  Object.values(sections).flatMap(({ shape }) =>
    Object.entries(shape).map(([name, schema]) => `${name}=${defaultOf(schema) ?? ''}`),
  );

function commands(command: Command, above: readonly string[]): string[] {
  const path = [...above, command.name()];
  const takes = command.registeredArguments.map(
    (one) => ` ${one.required ? `<${one.name()}>` : `[${one.name()}]`}`,
  );
  return [
    path.join(' ') + takes.join(''),
    ...command.options.map(({ flags }) => `${path.join(' ')} ${flags}`),
    ...command.commands.flatMap((one) => commands(one, path)),
  ];
}

/** A released step is never edited. */
const stepLines = (steps: readonly Step[]) =>
  steps.map(({ name, sql, breaks }, at) => {
    const hash = createHash('sha256').update(sql).digest('hex').slice(0, 16);
    return `step ${at + 1}, ${name}: ${hash}${breaks ? ', breaks' : ''}`;
  });
