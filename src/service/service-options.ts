import type { MailOptions } from '../shared/mail/mail.ts';
import type { PageServerOptions } from '../shared/process/page-server.ts';
import type { AppOptions } from './app/app.ts';
import type { DatabaseSettings } from './database/open-store.ts';
import type { BackupSettings } from './upkeep/backups.ts';
import type { Retention } from './upkeep/retention.ts';
import type { ServiceAlertSettings } from './upkeep/service-alerts.ts';
import type { WebhookSettings } from './webhooks/webhooks.ts';

export type ServiceOptions = AppOptions & {
  /** Where to listen; port 0 takes any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** A folder for the server secret, and for the database if there is no other; made if missing. */
  readonly stateDir: string;
  /** Null: SQLite in the state folder. */
  readonly database: DatabaseSettings;
  /** Country of the first account, ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly retention: Retention;
  /** Requests per minute and integration; null: no limit. */
  readonly requestsPerMinute: number | null;
  /** Where to serve /metrics; absent: nowhere. */
  readonly metrics?: PageServerOptions | undefined;
  /** Scheduled backups; absent: none. Not with another database. */
  readonly backups?: BackupSettings | undefined;
  /** Absent: no alerts. */
  readonly alerts?: ServiceAlertSettings | undefined;
  /** Where webhooks may be sent besides the Internet; absent: nowhere. */
  readonly webhookNetworks?: readonly string[] | undefined;
  /** For tests. */
  readonly webhookTimes?: Pick<WebhookSettings, 'answerMs' | 'lastingMs'>;
  /** Absent: no mail can be sent. */
  readonly mail?: MailOptions | undefined;
};
