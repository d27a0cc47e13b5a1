import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { decisions } from '../../api/contract/decisions.ts';
import { basePath } from '../../api/contract/routes.ts';

type OpenApi = { components: { schemas: Record<string, object> } };

const intro = `Call events in, calls on the screens; a caller's priority by number; the history of what was sent.

Parts of the interface that its specification leaves open are decided as follows.`;

function decisionsTable(): string {
  const rows = Object.entries(decisions).map(
    ([key, { part, decides, because }]) => `| ${key} | ${part} | ${decides} | ${because} |`,
  );
  return ['| decision | part | what | why |', '|---|---|---|---|', ...rows].join('\n');
}

/** Collects the routes that are registered after it; `GET /openapi.json` gives the document, made from the contract. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true, // screens and administration are no part of the interface
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Call Integration API', version: '1', description: `${intro}\n\n${decisionsTable()}` },
      servers: [{ url: basePath }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => {
      const described = jsonSchemaTransformObject(document) as OpenApi;
      // What requests take stands at each operation; only what answers hold is shared between them.
      const shared = Object.entries(described.components.schemas).filter(([name]) => !name.endsWith('Input'));
      return { ...described, components: { ...described.components, schemas: Object.fromEntries(shared) } };
    },
  });
  app.get('/openapi.json', () => app.swagger());
}
