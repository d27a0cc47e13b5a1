import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';

type Document = { paths?: object; webhooks?: object; components: { schemas: Record<string, object> } };

/** Names of shared schemas in a part of a document. */
const namesIn = (part: object | undefined) =>
  [...JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name as string,
  );

/** The shared schemas that the operations of this document lead to. Requests are inline in each operation. */
function withItsSchemas(document: Document): Document {
  const { schemas } = document.components;
  const wanted = new Set<string>();
  const follow = (names: readonly string[]) => {
    for (const name of names) {
      if (wanted.has(name)) continue;
      wanted.add(name);
      follow(namesIn(schemas[name]));
    }
  };
  follow(namesIn(document.paths));
  follow(namesIn(document.webhooks));
  const own = Object.entries(schemas).filter(([name]) => wanted.has(name));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(own) } };
}

/** What a document has besides what the schemas of its routes say. */
type Also = Pick<OpenAPIV3_1.Document, 'paths' | 'webhooks'>;

/** An OpenAPI document of the routes that are registered after it, made from their schemas; a bearer token is sent. */
export const openApi = (
  title: string,
  description: string,
  server: string,
  { paths, webhooks }: Also = {},
): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: { title, version: '1', description },
    servers: [{ url: server }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
  },
  transform: jsonSchemaTransform,
  transformObject(given) {
    const document = jsonSchemaTransformObject(given) as unknown as Document;
    return withItsSchemas({
      ...document,
      paths: { ...document.paths, ...paths },
      ...(webhooks && { webhooks }),
    }) as Partial<OpenAPIV3_1.Document>;
  },
});
