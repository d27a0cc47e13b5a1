import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { limits } from '../../api/contract/decisions.ts';
import { text } from '../../api/contract/text.ts';
import { bearerToken } from '../bearer.ts';
import type { ServiceContext } from '../context.ts';
import { BadTable, exportCustomers, importCustomers } from '../customers-csv.ts';
import { isCountry } from '../number.ts';
import { Refusal } from '../refusal.ts';
import { newUid } from '../setup.ts';
import type { Account, Integration } from '../store/store.ts';

const name = text('name', limits.referenceLength).min(1, 'The name field is required.');
const accountChange = z.object({
  name: name.optional(),
  country: z
    .string()
    .refine(isCountry, 'The country field must be two letters of ISO 3166.')
    .nullable()
    .optional(),
});
const integrationChange = z.object({ name: name.optional(), enabled: z.boolean().optional() });
const segmentName = z.object({ name });
const priority = z.object({ priority: z.int() });
const reference = z.object({ reference: z.string() });

/**
 * /admin: an account's own settings, by its administration token. Integrations with their tokens, segments, and
 * customers as CSV. An integration's token opens nothing here: a phone system need not read the customers.
 */
export function adminRoutes(context: ServiceContext) {
  const { store, directory, keys, clock } = context;
  const accounts = new WeakMap<FastifyRequest, Account>();
  const accountOf = (request: FastifyRequest) => accounts.get(request) as Account;

  function integrationOf(request: FastifyRequest<{ Params: { uid: string } }>): Integration {
    const own = directory.integrations(accountOf(request).id);
    const found = own.find(({ uid }) => uid === request.params.uid);
    if (found === undefined) throw new Refusal(404, 'There is no such integration.');
    return found;
  }
  const shown = ({ uid, name, enabled, createdAt }: Integration) => ({
    uid,
    name,
    enabled,
    created_at: new Date(createdAt).toISOString(),
  });
  const opened = (integration: Integration) => ({
    ...shown(integration),
    token: keys.integrationToken(integration),
  });

  async function changed(
    request: FastifyRequest<{ Params: { uid: string } }>,
    change: Parameters<typeof store.directory.changeIntegration>[1],
  ) {
    await store.directory.changeIntegration(integrationOf(request).id, change);
    await directory.refresh();
    return opened(integrationOf(request));
  }

  return async (instance: FastifyInstance) => {
    const app = instance.withTypeProvider<ZodTypeProvider>();
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
    // Here for its hook: a stranger is not told which paths exist.
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ message: 'There is nothing at this path.' }),
    );
    app.addHook('onRequest', async (request, reply) => {
      const account = directory.administrator(bearerToken(request.headers.authorization) ?? '');
      if (account === undefined) return reply.code(401).send({ message: 'Unauthenticated.' });
      accounts.set(request, account);
      reply.header('cache-control', 'no-store');
    });
    app.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));

    const account = ({ uid, name, country }: Account) => ({ uid, name, country });
    app.get('/account', (request) => account(accountOf(request)));
    app.patch('/account', { schema: { body: accountChange } }, async (request) => {
      const { id } = accountOf(request);
      await store.directory.changeAccount(id, given(request.body));
      await directory.refresh();
      return account(directory.accounts().find((candidate) => candidate.id === id) as Account);
    });

    app.get('/integrations', (request) => directory.integrations(accountOf(request).id).map(shown));
    app.post('/integrations', { schema: { body: z.object({ name }) } }, async (request, reply) => {
      const integration = await store.directory.addIntegration({
        uid: newUid(),
        account: accountOf(request).id,
        name: request.body.name,
        createdAt: clock(),
      });
      await directory.refresh();
      return reply.code(201).send(opened(integration));
    });
    app.get<{ Params: { uid: string } }>('/integrations/:uid', (request) => opened(integrationOf(request)));
    app.patch(
      '/integrations/:uid',
      { schema: { params: z.object({ uid: z.string() }), body: integrationChange } },
      (request) => changed(request as never, given(request.body)),
    );
    app.post<{ Params: { uid: string } }>('/integrations/:uid/rotate', (request) =>
      changed(request, { rotate: true }),
    );

    app.get('/segments', (request) => store.customers.segments(accountOf(request).id));
    app.put('/segments/:name', { schema: { params: segmentName, body: priority } }, async (request) => {
      const segment = { name: request.params.name, priority: request.body.priority };
      await store.customers.putSegment(accountOf(request).id, segment);
      return segment;
    });
    app.delete('/segments/:name', { schema: { params: segmentName } }, async (request, reply) => {
      const removed = await store.customers.removeSegment(accountOf(request).id, request.params.name);
      if (!removed) throw new Refusal(404, 'There is no such segment.');
      return reply.code(204).send();
    });

    app.get('/customers', (request, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="customers.csv"')
        .send(Readable.from(exportCustomers(store.customers, accountOf(request).id))),
    );
    app.post('/customers', async (request) => {
      if (!(request.body instanceof Readable))
        throw new Refusal(415, 'The Content-Type header must be text/csv.');
      const { id, country } = accountOf(request);
      try {
        return await importCustomers(request.body, { customers: store.customers, account: id, country });
      } catch (error) {
        throw error instanceof BadTable ? new Refusal(422, error.message) : error;
      }
    });
    app.delete('/customers/:reference', { schema: { params: reference } }, async (request, reply) => {
      const removed = await store.customers.remove(accountOf(request).id, request.params.reference);
      if (!removed) throw new Refusal(404, 'There is no such customer.');
      return reply.code(204).send();
    });
  };
}

/** Without the fields that are not given (exactOptionalPropertyTypes). */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
