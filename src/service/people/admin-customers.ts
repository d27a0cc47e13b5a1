import { Readable } from 'node:stream';
import { z } from 'zod';
import { type AccountOf, type AdminAudit, name, type ZodInstance } from '../kit/administration.ts';
import type { Budgets } from '../kit/budget.ts';
import { Refusal } from '../kit/refusal.ts';
import { line } from '../kit/text.ts';
import type { CustomerStore } from './customer-store.ts';
import { BadTable, exportCustomers, importCustomers, importSummary } from './customers-csv.ts';

const segmentName = z.object({ name });
const priority = z.object({ priority: z.int() });
const reference = z.object({ reference: line('reference') });

/** An account's segments, and its customers as CSV. */
export function adminCustomerRoutes(
  app: ZodInstance,
  accountOf: AccountOf,
  audit: AdminAudit,
  {
    store: { customers },
    budgets,
  }: { readonly store: { readonly customers: CustomerStore }; readonly budgets: Budgets },
): void {
  app.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));

  app.get('/segments', (request) => customers.segments(accountOf(request).id));
  app.put('/segments/:name', { schema: { params: segmentName, body: priority } }, async (request) => {
    const segment = { name: request.params.name, priority: request.body.priority };
    await customers.putSegment(accountOf(request).id, segment);
    await audit(request, 'settings', `segment ${segment.name}: priority ${segment.priority}`);
    return segment;
  });
  app.delete('/segments/:name', { schema: { params: segmentName } }, async (request, reply) => {
    const removed = await customers.removeSegment(accountOf(request).id, request.params.name);
    if (!removed) throw new Refusal(404, 'There is no such segment.');
    await audit(request, 'removal', `segment ${request.params.name}`);
    return reply.code(204).send();
  });

  app.get('/customers', async (request, reply) => {
    await audit(request, 'export', 'customers');
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="customers.csv"')
      .send(Readable.from(exportCustomers(customers, accountOf(request).id)));
  });
  app.post('/customers', async (request) => {
    if (!(request.body instanceof Readable))
      throw new Refusal(415, 'The Content-Type header must be text/csv.');
    const { id, country } = accountOf(request);
    const finish = budgets.imports.take(id);
    try {
      const report = await importCustomers(request.body, {
        customers,
        account: id,
        country,
      });
      await audit(request, 'import', importSummary(report));
      return report;
    } catch (error) {
      throw error instanceof BadTable ? new Refusal(422, error.message) : error;
    } finally {
      finish();
    }
  });
  app.delete('/customers/:reference', { schema: { params: reference } }, async (request, reply) => {
    const removed = await customers.remove(accountOf(request).id, request.params.reference);
    if (!removed) throw new Refusal(404, 'There is no such customer.');
    await audit(request, 'removal', `customer ${request.params.reference}`);
    return reply.code(204).send();
  });
}
