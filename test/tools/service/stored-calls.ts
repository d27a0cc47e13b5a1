import { join } from 'node:path';
import { openSqliteStore } from '../../../src/service/database/sqlite-store.ts';
import type { Store } from '../../../src/service/database/store.ts';
import { preciseMs } from '../../../src/shared/process/clock.ts';
import type { Served } from './harness.ts';
import { type ReportedEvent, recorded } from './recorded-request.ts';

/** Writes calls into the store of a running service, as another process would. */
export async function storeCalls(
  { stateDir }: Pick<Served, 'stateDir'>,
  write: (report: Report, store: Store) => Promise<unknown>,
): Promise<void> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  try {
    await write((event) => {
      const response = JSON.stringify({ result: 'x'.repeat(48) });
      return store.requests.record({ ...recorded(event), began: preciseMs(), response });
    }, store);
  } finally {
    await store.close();
  }
}

type Report = (event: ReportedEvent & { readonly at: number }) => Promise<unknown>;
