import { openDatabase } from '../../src/bridge/outbox/tables/database.ts';
import { outboxSchema } from '../../src/bridge/outbox/tables/migrations.ts';
import { releasedTests } from './released-tests.ts';

releasedTests({
  release: '1.0.0',
  file: 'outbox.db',
  statements: 'outbox',
  schema: outboxSchema,
  steps: 1,
  open: (path) => openDatabase(path).close(),
});
