import type { Statements } from '../store/statements.ts';
import { createAccountStore } from './account-store.ts';
import { createBridgeReportStore } from './bridge-report-store.ts';
import { createCertificateStore } from './certificate-store.ts';
import { createDirectoryReader } from './directory-reader.ts';
import { createExtensionStore } from './extension-store.ts';
import { createFleetStore } from './fleet-store.ts';
import { createIntegrationStore } from './integration-store.ts';
import { createOldTokenStore } from './old-token-store.ts';
import { createSiteTokenStore } from './site-token-store.ts';

export type DirectoryStore = ReturnType<typeof createDirectoryStore>;

/** Accounts, integrations and the names of extensions: few, read often, changed by people (also by another process: the command line). */
export const createDirectoryStore = (statements: Statements) => ({
  ...createDirectoryReader(statements),
  ...createSiteTokenStore(statements),
  ...createAccountStore(statements),
  ...createIntegrationStore(statements),
  ...createOldTokenStore(statements),
  ...createBridgeReportStore(statements),
  ...createCertificateStore(statements),
  ...createFleetStore(statements),
  ...createExtensionStore(statements),
});
