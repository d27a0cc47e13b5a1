import { type TestContext, test } from 'node:test';
import type { Store } from '../../src/service/database/store.ts';
import { accountDataTests } from './service-store-account-data.ts';
import { accountTests } from './service-store-accounts.ts';
import { callerTests } from './service-store-callers.ts';
import { callTests } from './service-store-calls.ts';
import { customerTests } from './service-store-customers.ts';
import { forgetTests, type TextColumn } from './service-store-forget.ts';
import { historyTests } from './service-store-history.ts';
import { importTests } from './service-store-imports.ts';
import { notificationTests } from './service-store-notifications.ts';
import { webhookTests } from './service-store-webhooks.ts';
import { whoCallsTests } from './service-store-who-calls.ts';

type Opened = {
  readonly store: Store;
  /** Closes it and opens the same database again. */
  reopen(): Promise<Store>;
  /** Reads the database itself. */
  readColumns(): Promise<readonly TextColumn[]>;
  /** All that its files hold, those beside the database too; absent: the files are a server's. */
  readFiles?(): string;
};

/** Tests by name, each on a store of its own with two accounts, the first with integrations 1 and 2. Retention by age is exact to `ageStepMs`. */
export type StoreTests = Record<
  string,
  (context: Opened & { account: number; other: number; ageStepMs: number }) => Promise<void>
>;

/** What every store must do, whatever engine it is built on. `open` gives a store that is closed after the test. */
export function storeConformance(
  engine: string,
  open: (t: TestContext) => Promise<Opened>,
  { ageStepMs = 1 }: { ageStepMs?: number } = {},
): void {
  const subjects = [
    accountDataTests,
    accountTests,
    callTests,
    callerTests,
    customerTests,
    forgetTests,
    historyTests,
    importTests,
    notificationTests,
    webhookTests,
  ];
  for (const [name, body] of [...subjects, whoCallsTests].flatMap(Object.entries))
    test(`${engine}: ${name}`, async (t) => {
      const opened = await open(t);
      const { directory } = opened.store;
      const { id: account } = await directory.addAccount({ uid: 'a', name: 'A', country: 'DE' });
      const { id: other } = await directory.addAccount({ uid: 'b', name: 'B', country: null });
      for (const uid of ['pbx-1', 'pbx-2'])
        await directory.addIntegration({ uid, account, name: uid, createdAt: 0 });
      await body({ ...opened, account, other, ageStepMs });
    });
}
