import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { decisions } from '../../shared/api/contract/decisions.ts';
import { basePath } from '../../shared/api/contract/routes.ts';

type OpenApi = { components: { schemas: Record<string, object> } };

const intro = `Call events in, calls on the screens; a caller's priority by number; the history of what was sent.

Details that the specification leaves open are decided as follows.`;

function decisionsTable(): string {
  const rows = Object.entries(decisions).map(
    ([key, { part, decides, because }]) => `| ${key} | ${part} | ${decides} | ${because} |`,
  );
  return ['| decision | part | what | why |', '|---|---|---|---|', ...rows].join('\n');
}

/** Describes the routes registered after it in `GET /openapi.json`, generated from the contract. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true, // pages and administration are not part of the API
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
      // Request schemas are inline in each operation; only response schemas are shared.
      const shared = Object.entries(described.components.schemas).filter(([name]) => !name.endsWith('Input'));
      return { ...described, components: { ...described.components, schemas: Object.fromEntries(shared) } };
    },
  });
  app.get('/openapi.json', () => app.swagger());
}
