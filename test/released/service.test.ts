import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService } from '../../src/service/service.ts';
import { openForWriting, serviceSchema } from '../../src/service/store/sqlite/open.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { stateFolder } from '../tools/service/harness.ts';
import { options } from '../tools/service/options.ts';
import { textOf, unpack } from './released.ts';
import { releasedTests } from './released-tests.ts';
import { goesOn } from './service-goes-on.ts';

releasedTests({
  release: '1.0.0',
  file: 'service.db',
  statements: 'service-sqlite',
  schema: serviceSchema,
  steps: 1,
  numberedOtherwise: /^webhook_deliveries\./,
  open: (path) => openForWriting(path).close(),
});

test('a service on the data of 1.0.0: tokens, password, customers, notes and call backs are as they were', async (t) => {
  const stateDir = stateFolder(t);
  unpack('1.0.0', 'service.db', stateDir);
  writeFileSync(join(stateDir, 'service-secret'), textOf('1.0.0', 'service-sqlite.secret'), { mode: 0o600 });
  const service = await startService(options(stateDir), { log: silentLog });
  t.after(() => service.stop());
  await goesOn(service.url, JSON.parse(textOf('1.0.0', 'service-sqlite.json')));
});
