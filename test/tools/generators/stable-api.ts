import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/service/database/sqlite-store.ts';
import { startService } from '../../../src/service/service.ts';
import { exampleOf } from '../../../src/service/webhooks/event-examples.ts';
import { callEvents, personEvents, webhookEvents } from '../../../src/service/webhooks/webhook.ts';
import { webhookBody } from '../../../src/service/webhooks/webhook-message.ts';
import { silentLog } from '../../../src/shared/log/log.ts';
import { callers, event, prepare } from '../service/harness.ts';
import { options } from '../service/options.ts';
import { bearer } from '../service/stream.ts';

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
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

/** The operations of the Call Integration API and of /admin, and what webhooks and readers of /events with a token get. */
export async function ofService(): Promise<{ api: string[]; bodies: string[] }> {
  const stateDir = mkdtempSync(join(tmpdir(), 'stable-'));
  const { a } = await prepare(stateDir);
  const service = await startService(options(stateDir), { log: silentLog });
  try {
    const documents = await Promise.all(
      ['/openapi.json', '/admin/openapi.json'].map(
        async (path) => (await (await fetch(service.url + path)).json()) as Document,
      ),
    );
    const { post } = callers(service.url);
    const extras = { number_called: '0891234567', line: 'PJSIP/provider', at: '2026-01-05T09:00:00.000Z' };
    const missed = { where: 'queue', name: 'sales', by: 'caller', after: 35 };
    for (const fields of [
      { id: 'missed', extras },
      { id: 'missed', status: 'completed', extras: { ...extras, missed } },
      { id: 'answered', extras },
      { id: 'answered', status: 'answered', caller_id: '1001', extras },
    ])
      await post(a.token, event(fields));
    const bodies: string[] = [];
    const stream = rawEvents(service.url, a.token);
    const add = ({ value }: Awaited<ReturnType<typeof stream.next>>) => {
      if (value) bodies.push(...fieldsIn(value.data, `event ${value.event}`));
    };
    add(await stream.next());
    await post(a.token, event({ id: 'answered', status: 'completed', extras }));
    add(await stream.next());
    await stream.return(undefined);
    const store = await openSqliteStore(join(stateDir, 'service.db'));
    const [first] = (await store.directory.read(0))?.directory.accounts ?? [];
    const webhook = { shape: null, events: webhookEvents };
    const telling = { extensions: new Map(), integration: null, country: null };
    for (const type of callEvents) {
      const call = await store.calls.get(first?.id ?? 0, type === 'call.missed' ? 'missed' : 'answered');
      const told = { event: type, at: 0, call: call ?? null, person: null };
      const body = webhookBody(told, webhook, { ...telling, integration: 'PBX 1' });
      bodies.push(...fieldsIn(JSON.parse(body), `webhook ${type}`));
    }
    for (const told of [
      ...personEvents.map(exampleOf),
      { event: 'test' as const, at: 0, call: null, person: null },
    ])
      bodies.push(...fieldsIn(JSON.parse(webhookBody(told, webhook, telling)), `webhook ${told.event}`));
    await store.close();
    return { api: documents.flatMap(operations), bodies };
  } finally {
    await service.stop();
    rmSync(stateDir, { recursive: true });
  }
}

/** The fields of a value, each with its type. */
function fieldsIn(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => fieldsIn(one, `${at}[]`));
  if (typeof value === 'object' && value !== null)
    return [
      `${at} object`,
      ...Object.entries(value).flatMap(([name, one]) => fieldsIn(one, `${at}.${name}`)),
    ];
  return [`${at} ${value === null ? 'null' : typeof value}`];
}

/** The frames of /events but for beats. */
async function* rawEvents(url: string, token: string) {
  const stop = new AbortController();
  const { body } = await fetch(`${url}/events`, { headers: bearer(token), signal: stop.signal });
  try {
    let text = '';
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: ([\w-]+)\ndata: (.*)$/m.exec(text.slice(0, end)) ?? [];
        text = text.slice(end + 2);
        if (event !== undefined && event !== 'beat') yield { event, data: JSON.parse(data ?? '') };
      }
    }
  } finally {
    stop.abort();
  }
}

/** Every operation with the fields that it takes and gives. */
function operations({ paths, components }: Document): string[] {
  const fields = (schema: Schema, at: string): string[] => {
    const { $ref, properties = {}, items, anyOf = [], allOf = [], oneOf = [], required = [] } = schema;
    if ($ref !== undefined) return fields(components?.schemas?.[$ref.replace(/.*\//, '')] ?? {}, at);
    return [
      ...(schema.type === undefined ? [] : [`${at} ${[schema.type].flat().join(' or ')}`]),
      ...[schema.enum ?? (schema.const === undefined ? [] : [schema.const])]
        .flat()
        .map((value) => `${at} may be ${JSON.stringify(value)}`),
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
