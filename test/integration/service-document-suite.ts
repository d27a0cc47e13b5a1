import { after, before, describe, type TestContext, test } from 'node:test';
import type { DatabaseSettings } from '../../src/service/store/open-store.ts';
import { eventRows } from './service-document-events.ts';
import { readRows } from './service-document-reads.ts';
import type { Row } from './service-document-row.ts';
import { type Served, serve } from './service-harness.ts';

export const rows: Row[] = [...eventRows, ...readRows];

/** Every row on one running service; `database`: SQLite if it gives nothing. */
export function documentSuite(
  name: string,
  database: () => Promise<DatabaseSettings> = async () => null,
): void {
  describe(name, () => {
    let service: Served;
    const ends: (() => unknown)[] = [];
    before(async (t) => {
      const lasting = {
        ...t,
        passed: true,
        diagnostic: () => {},
        after: (end: () => unknown) => ends.unshift(end),
      };
      service = await serve(lasting as unknown as TestContext, { database: await database() });
    });
    after(async () => {
      for (const end of ends) await end();
    });

    for (const row of rows) {
      const name = `part ${row.part}: ${row.says}${row.decision ? ` [${row.decision}]` : ''}`;
      test(name, () => row.proof(service));
    }
  });
}
