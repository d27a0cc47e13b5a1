import type { Alerts } from '../../shared/alerts/alerts.ts';
import type { Log } from '../../shared/log/log.ts';
import type { Mailer } from '../../shared/mail/mail.ts';
import {
  createPageServer,
  type PageServer,
  type PageServerOptions,
} from '../../shared/process/page-server.ts';
import { valueWithin, within } from '../../shared/process/within.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Screens } from '../calls/screens.ts';
import type { Store } from '../database/store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Backups } from './backups.ts';
import type { Meter } from './meter.ts';

/** A storage that takes longer counts as not working, ms; Prometheus waits for ten seconds. */
const STORAGE_MS = 2_000;

/** Serves `/metrics` on an address of its own, which no reverse proxy passes on. */
export function createMetricsServer(
  address: PageServerOptions,
  tools: {
    readonly meter: Meter;
    readonly version: string;
    readonly startedAt: number;
    readonly store: Pick<Store, 'about' | 'webhooks'>;
    readonly directory: Pick<ServiceDirectory, 'accounts' | 'integrationCount'>;
    readonly screens: Pick<Screens, 'connected'>;
    readonly alerts: Pick<Alerts, 'status'>;
    readonly webhooks: Pick<Webhooks, 'counts'>;
    readonly backups: Backups | undefined;
    readonly log: Log;
  },
): PageServer {
  const { meter, version, startedAt, store, directory, screens, alerts, webhooks, backups, log } = tools;
  const { host } = address;
  /** Undefined while the storage does not answer. */
  const webhooksWaiting = () => valueWithin(STORAGE_MS, store.webhooks.waiting(null)).catch(() => undefined);
  const readings = async () => ({
    startedAt,
    storageWorking: await within(STORAGE_MS, store.about()).catch(() => false),
    accounts: directory.accounts().length,
    integrations: directory.integrationCount(),
    screens: screens.connected(),
    webhooks: { ...webhooks.counts(), waiting: await webhooksWaiting() },
    alerts: alerts.status(),
    backups: backups && { lastAt: backups.lastAt(), failing: backups.failing() !== undefined },
  });
  const page = async () => ({
    status: 200,
    type: meter.contentType,
    body: await meter.render(await readings(), version),
  });
  return createPageServer(
    address,
    { '/metrics': page },
    {
      onListening: (port) => log.say('service.metrics-listening', { host, port }),
      onFailed: (error) => log.say('service.metrics-not-listening', { host, port: address.port, error }),
    },
  );
}

/** Counts what is sent. */
export const counted = (mailer: Mailer, counts: Meter['counts']['mails']): Mailer => ({
  async send(mail) {
    try {
      await mailer.send(mail);
      counts.sent += 1;
    } catch (error) {
      counts.failed += 1;
      throw error;
    }
  },
});
