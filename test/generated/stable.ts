import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { outboxSchema } from '../../src/bridge/outbox/tables/migrations.ts';
import { createMetrics } from '../../src/bridge/status/metrics.ts';
import { EXIT_CODES_HELP } from '../../src/cli/command-context.ts';
import { bridgeSections, type Sections } from '../../src/cli/config/env.ts';
import { serviceSection } from '../../src/cli/config/service-section.ts';
import { startService } from '../../src/service/service.ts';
import { steps as postgresSteps } from '../../src/service/store/postgres/migrations.ts';
import { serviceSchema } from '../../src/service/store/sqlite/open.ts';
import { makeMeter } from '../../src/service/upkeep/meter.ts';
import { webhookEvents } from '../../src/service/webhooks/webhook-store.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { type Message, messages } from '../../src/shared/log/messages.ts';
import type { Step } from '../../src/shared/storage/written-by.ts';
import { options } from '../integration/service-options.ts';
import { commandTree } from './command-tree.ts';
import { defaultOf } from './settings-page.ts';

/** What others rely on, by kind: each thing is a line. */
export type Stable = Readonly<Record<string, readonly string[]>>;

/** The record of what stays as it is in all versions that begin with 1. */
const record = fileURLToPath(new URL('stable.json', import.meta.url));

export const recorded = () => JSON.parse(readFileSync(record, 'utf8')) as Stable;

/** What there is now. */
export async function stableNow(): Promise<Stable> {
  const metrics = [...createMetrics({ withProcess: false }).list(), ...makeMeter().list()];
  const all = {
    settings: settings({ ...bridgeSections, service: serviceSection }),
    commands: [...commands(commandTree(), []), EXIT_CODES_HELP],
    metrics: metrics.map(
      ({ name, type, labels }) => `${type} ${name}${labels.map((label) => ` ${label}`).join('')}`,
    ),
    'log codes': Object.entries<Message>(messages).map(
      ([code, { level, announced }]) => `${code} ${level}${announced ? ', announced' : ''}`,
    ),
    'webhook events': webhookEvents,
    API: (await documents()).flatMap(operations),
    'steps of outbox.db': hashes(outboxSchema.steps),
    'steps of service.db': hashes(serviceSchema.steps),
    'steps of PostgreSQL': hashes(postgresSteps),
  };
  return Object.fromEntries(Object.entries(all).map(([kind, lines]) => [kind, [...new Set(lines)].sort()]));
}

/** What has changed: `-` is gone or has become something else, `+` is new. */
export const differences = (before: Stable, after: Stable): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((kind) => {
    const [was, is] = [before[kind] ?? [], after[kind] ?? []];
    return [
      ...was.filter((line) => !is.includes(line)).map((line) => `- ${kind}: ${line}`),
      ...is.filter((line) => !was.includes(line)).map((line) => `+ ${kind}: ${line}`),
    ];
  });

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
const hashes = (steps: readonly Step[]) =>
  steps.map(({ sql }, at) => `step ${at + 1} ${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`);

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
};
type Content = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
};

/** The documents of the Call Integration API and of /admin. */
async function documents(): Promise<Document[]> {
  const stateDir = mkdtempSync(join(tmpdir(), 'stable-'));
  const service = await startService(options(stateDir), { log: silentLog });
  const read = async (path: string) => (await (await fetch(service.url + path)).json()) as Document;
  const found = await Promise.all(['/openapi.json', '/admin/openapi.json'].map(read));
  await service.stop();
  rmSync(stateDir, { recursive: true });
  return found;
}

/** Every operation with the fields that it takes and gives. */
function operations({ paths, components }: Document): string[] {
  const fields = (schema: Schema, at: string): string[] => {
    const { $ref, properties = {}, items, anyOf = [], allOf = [], oneOf = [], required = [] } = schema;
    if ($ref !== undefined) return fields(components?.schemas?.[$ref.replace(/.*\//, '')] ?? {}, at);
    return [
      ...(schema.type === undefined ? [] : [`${at} ${[schema.type].flat().join(' or ')}`]),
      ...Object.entries(properties).flatMap(([name, one]) =>
        fields(one, `${at}.${name}${required.includes(name) ? '' : '?'}`),
      ),
      ...(items === undefined ? [] : fields(items, `${at}[]`)),
      ...[...anyOf, ...allOf, ...oneOf].flatMap((one) => fields(one, at)),
    ];
  };
  const fieldsOf = ({ content = {} }: Content, at: string) =>
    Object.entries(content).flatMap(([type, { schema = {} }]) => [`${at} ${type}`, ...fields(schema, at)]);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(
      ([method, { operationId, parameters = [], requestBody = {}, responses }]) => [
        `${operationId}: ${method.toUpperCase()} ${path}`,
        ...parameters.map((one) => `${operationId} takes ${one.in} ${one.name}${one.required ? '' : '?'}`),
        ...fieldsOf(requestBody, `${operationId} takes body`),
        ...Object.entries(responses).flatMap(([status, content]) => [
          `${operationId} gives ${status}`,
          ...fieldsOf(content, `${operationId} gives ${status}`),
        ]),
      ],
    ),
  );
}

// `npm run stable`: prints what has changed, and writes the record anew.
if (import.meta.main) {
  const now = await stableNow();
  process.stdout.write(`${differences(recorded(), now).join('\n') || 'nothing has changed'}\n`);
  writeFileSync(record, `${JSON.stringify(now, undefined, 2)}\n`);
}
