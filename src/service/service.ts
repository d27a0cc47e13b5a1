import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../shared/log/log.ts';
import { createMailer, type MailOptions } from '../shared/mail/mail.ts';
import { partsOf, stopOnce } from '../shared/process/lifecycle.ts';
import type { PageServerOptions } from '../shared/process/page-server.ts';
import { messageOf } from '../shared/process/parse-json.ts';
import type { Account } from './accounts/account.ts';
import { firstAccount, openDirectory } from './accounts/directory.ts';
import { createKeys, serverSecret } from './accounts/keys.ts';
import { type AppOptions, buildApp } from './app/app.ts';
import { closeApp, connectionsOf, listen } from './app/listen.ts';
import { createTls, type Tls, type TlsFiles } from './app/tls.ts';
import { createScreens } from './calls/screens.ts';
import { type DatabaseSettings, fileIn, holdStateDir, openStore } from './database/open-store.ts';
import { createAccountTurns } from './kit/account-turns.ts';
import { createBudgets, createRateLimit } from './kit/budget.ts';
import { every } from './kit/every.ts';
import { bracketed, linkAddress, publicAddress } from './kit/public-address.ts';
import { createNoticeSender } from './notifications/notice-sender.ts';
import { createNotifications, type NotificationTimes } from './notifications/notifications.ts';
import { createWebPush } from './notifications/web-push.ts';
import { createCallBackList } from './people/call-back-list.ts';
import { sendAboutCallers, sendWhoCalls } from './people/who-calls.ts';
import { type BackupSettings, createBackups } from './upkeep/backups.ts';
import { createMeter } from './upkeep/meter.ts';
import { counted, createMetricsServer } from './upkeep/metrics-server.ts';
import { alertName, createServiceAlerts, type ServiceAlertSettings } from './upkeep/service-alerts.ts';
import { type Retention, startUpkeep } from './upkeep/start-upkeep.ts';
import { createAccess } from './users/access.ts';
import { createSessions } from './users/sessions.ts';
import { createLink, firstAdministrator } from './users/users.ts';
import { createLazyWebhookClient } from './webhooks/lazy-webhook-client.ts';
import { createWebhooks, type WebhookSettings } from './webhooks/webhooks.ts';

export type ServiceOptions = Omit<AppOptions, 'https'> & {
  /** Where to listen; port 0 takes any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Absent: plain http. */
  readonly tls?: TlsFiles | undefined;
  /** How often to look whether these files have changed, ms. */
  readonly tlsEveryMs?: number;
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
  /** Where webhooks and push messages may be sent besides the Internet; absent: nowhere. */
  readonly webhookNetworks?: readonly string[] | undefined;
  /** For tests. */
  readonly webhookTimes?: Pick<WebhookSettings, 'answerMs' | 'lastingMs'>;
  readonly notificationTimes?: NotificationTimes | undefined;
  /** Absent: no mail can be sent. */
  readonly mail?: MailOptions | undefined;
};

type RunningService = {
  /** `http://host:port`, or https, as it listens; the API's base address is this and `/api/v1`. */
  readonly url: string;
  /** True if this start made the first account. */
  readonly firstStart: boolean;
  /** The first account's first token that is switched on. */
  token(): string;
  /** A new one-time link that signs in as the first account's first administrator. */
  link(): Promise<string>;
  stop(): Promise<void>;
};

const DIRECTORY_MS = 1000;
/** How late this process may see that another ended a session. */
const SESSIONS_MS = 1000;
const TRIM_MS = 3_600_000;
const BACKUP_MS = 60_000;
const TLS_MS = 60_000;

type Tools = {
  readonly log: Log;
  readonly version?: string;
  readonly fail?: (error: unknown) => void;
};

/** What the parts of the service are made with. `onStop`: how each is stopped, in the reverse order. */
type Start = {
  readonly options: ServiceOptions;
  readonly tls: Tls | undefined;
  readonly log: Log;
  readonly onStop: (part: string, stop: () => unknown) => void;
  readonly clock: () => number;
};

/**
 * Starts the Call Integration API service: its parts in the order in which they are built, and stopped in reverse.
 * `fail` is called if it cannot continue.
 * @throws if the state folder is in use, not durable or of a newer version, or the address is taken.
 */
export async function startService(
  options: ServiceOptions,
  { log, version = '', fail = () => {} }: Tools,
): Promise<RunningService> {
  await using starting = new AsyncDisposableStack();
  const tls = options.tls && createTls(options.tls);
  const start: Start = { options, tls, log, onStop: partsOf(starting, log), clock: Date.now };
  const startedAt = start.clock();
  const storage = await openStorage(start, fail);
  const live = await startLiveParts(start, storage);
  const work = startBackgroundWork(start, storage);
  const { app, linkOrigin, noticeSender } = await buildServiceApp(start, storage, live, work);
  const cutOff = connectionsOf(app);
  start.onStop('app', () => closeApp(app, cutOff));
  const url = await listen(app, options.listen);
  renewCertificate(start, app);
  await startUpkeepParts(start, storage, live, work, { version, startedAt, origin: linkOrigin() });

  const { store, directory, keys } = storage;
  const notifying = { store, directory, sender: noticeSender, clock: start.clock, log };
  const notifications = createNotifications(notifying, options.notificationTimes);
  start.onStop('notifications', notifications.stop);
  notifications.start();
  // A start that fails before this leaves no account and no backup.
  const made = await makeFirstAccount(start, storage);
  await directory.refresh();
  startBackups(start, work);
  sayStarted(start, storage, url);

  const first = () => directory.accounts()[0] as Account;
  return {
    url,
    firstStart: made,
    token() {
      const integration = directory.integrations(first().id).find(({ enabled }) => enabled);
      if (integration === undefined)
        throw new Error('the first account has no integration that is switched on');
      return keys.integrationToken(integration);
    },
    async link() {
      const user = await store.withLock(() => firstAdministrator(store, first(), start.clock()));
      return `${linkOrigin()}/sign-in#${await createLink(store, keys, user, start.clock())}`;
    },
    stop: stopOnce(starting),
  };
}

type Storage = Awaited<ReturnType<typeof openStorage>>;

/** Opens what is stored, and keeps the accounts in memory up to date. */
async function openStorage({ options, log, onStop }: Start, fail: (error: unknown) => void) {
  const keys = createKeys(serverSecret(options.stateDir));
  // Processes on one PostgreSQL may share the state folder: it holds only the secret.
  if (options.database === null) onStop('state folder', holdStateDir(options.stateDir));
  const store = await openStore(options, keys, fail);
  onStop('store', store.close);
  const { safe, ...about } = await store.about();
  log.say(safe ? 'service.storage' : 'service.storage-unsafe', about);
  const directory = await openDirectory(store, keys);
  const refresh = () => void directory.refresh().catch(() => {}); // a second later, again
  const refreshing = setInterval(refresh, DIRECTORY_MS);
  onStop('directory', () => clearInterval(refreshing));
  return { keys, store, directory, refresh };
}

type LiveParts = Awaited<ReturnType<typeof startLiveParts>>;

/** What moves on screens, whichever process changed it. */
async function startLiveParts({ onStop, clock }: Start, { store, directory, refresh }: Storage) {
  const screens = createScreens(directory.extensions, clock());
  const callBackList = createCallBackList(
    store.callers,
    screens,
    clock,
    directory.extensions,
    async (account) => (await store.users.list(account)).map(({ name }) => name),
  );
  const sendAboutAgain = sendAboutCallers(screens, { store, directory, clock });
  callBackList.onNote(sendAboutAgain);
  const unfollow = await store.otherProcesses.follow(screens.accounts, {
    moved: screens.publish,
    missed: () => {
      callBackList.readAgain();
      screens.close();
    },
    calledBack: (account) => {
      sendAboutAgain(account);
      void callBackList.publish(account).catch(() => {});
    },
    customers: sendWhoCalls(store, screens, callBackList),
    who: (account, calls) => screens.who(account, calls, clock()),
    directory: refresh,
  });
  onStop('events of other processes', unfollow);
  return { screens, callBackList };
}

type BackgroundWork = ReturnType<typeof startBackgroundWork>;

/** What works without being asked: alerts, webhooks, the end of sessions. Backups begin when all else has. */
function startBackgroundWork(
  { options, tls, log, onStop, clock }: Start,
  { store, directory, keys }: Storage,
) {
  const meter = createMeter({ withProcess: options.metrics !== undefined });
  const mailer = options.mail && counted(createMailer(options.mail), meter.counts.mails);
  const backups = options.backups && createBackups(fileIn(options.stateDir), options.backups, { clock, log });
  const alerts = createServiceAlerts(
    { ...options, ...alertOptions(options) },
    { store, directory, backups, certificateEndsAt: () => tls?.endsAt(), clock, log },
  );
  onStop('alerts', alerts.stop);
  alerts.start();
  const { webhookNetworks = [], webhookTimes, database } = options;
  const webhooks = createWebhooks(
    { networks: webhookNetworks, shared: database !== null, ...webhookTimes },
    { store, directory, keys, clock, log },
  );
  onStop('webhooks', webhooks.stop);
  webhooks.start();
  const pushClient = createLazyWebhookClient(webhookNetworks);
  onStop('push messages', pushClient.close);
  const sessions = createSessions(store.users, clock);
  const again = () => {}; // when the storage is back
  onStop('old sessions', every(TRIM_MS, sessions.trim, again));
  onStop('ended sessions', every(SESSIONS_MS, sessions.endClosed, again));
  return { meter, mailer, backups, alerts, webhooks, sessions, pushClient };
}

async function buildServiceApp(
  { options, tls, log, clock }: Start,
  { store, directory, keys }: Storage,
  { screens, callBackList }: LiveParts,
  { meter, mailer, alerts, webhooks, sessions, pushClient }: BackgroundWork,
) {
  const linkOrigin = () =>
    linkAddress(options, { host: options.listen.host, port: (app.server.address() as AddressInfo).port });
  // Who runs a push service may turn to the address.
  const contact = () => (linkOrigin().startsWith('https:') ? linkOrigin() : undefined);
  const webPush = createWebPush(keys, pushClient, contact, clock);
  const noticeSender = createNoticeSender({ store, directory, mailer, webPush, origin: linkOrigin });
  const limits = { budgets: createBudgets(), turns: createAccountTurns(), rateLimit: createRateLimit() };
  directory.onRemoved(({ accounts, integrations }) => {
    for (const id of integrations) limits.rateLimit.forget('integration', id);
    for (const id of accounts) {
      limits.rateLimit.forget('account', id);
      for (const part of [limits.turns, callBackList, screens]) part.forget(id);
    }
  });
  const app: FastifyInstance = await buildApp(
    {
      store,
      directory,
      keys,
      screens,
      callBackList,
      sessions,
      publicUrl: publicAddress(options),
      linkOrigin,
      mailer,
      webPush,
      noticeSender,
      meter,
      access: createAccess(store.users, keys, options.trustedProxies, clock, log),
      ...limits,
      perMinute: options.requestsPerMinute,
      callsKeptMs: options.retention.callsMaxAgeMs,
      observed: alerts,
      webhooks,
      webhookNetworks: options.webhookNetworks ?? [],
      clock,
      log,
    },
    { ...options, https: tls?.pair() },
  );
  return { app, linkOrigin, noticeSender };
}

async function startUpkeepParts(
  { options, log, onStop, clock }: Start,
  { store, directory }: Storage,
  { screens }: LiveParts,
  { meter, mailer, alerts, webhooks, backups }: BackgroundWork,
  about: { readonly version: string; readonly startedAt: number; readonly origin: string },
): Promise<void> {
  const { version, startedAt, origin } = about;
  const { retention, metrics } = options;
  onStop('upkeep', startUpkeep({ store, retention, mailer, screens, origin, directory, clock, log }));
  if (metrics === undefined) return;
  const server = createMetricsServer(metrics, {
    meter,
    version,
    startedAt,
    store,
    directory,
    screens,
    alerts,
    webhooks,
    backups,
    log,
  });
  onStop('metrics', server.stop);
  await server.start();
}

/** Uses a certificate that has taken the place of the last. One that is of no use is logged once. */
function renewCertificate({ options, tls, log, onStop }: Start, app: FastifyInstance): void {
  if (tls === undefined) return;
  const server = app.server as unknown as Parameters<Tls['renew']>[0];
  let failed = '';
  const look = async () => {
    if (tls.renew(server))
      log.say('service.certificate-renewed', { date: new Date(tls.endsAt()).toISOString().slice(0, 10) });
    failed = '';
  };
  const sayFailed = (fault: unknown) => {
    const error = messageOf(fault);
    if (error !== failed) log.say('service.certificate-not-renewed', { error });
    failed = error;
  };
  onStop('certificate', every(options.tlsEveryMs ?? TLS_MS, look, sayFailed));
}

/** Makes the first account. Returns whether there was none. */
async function makeFirstAccount({ options, log, clock }: Start, { store }: Storage): Promise<boolean> {
  const made = await store.withLock(() => firstAccount(store, options.country, clock()));
  if (made)
    log.say('service.first-start', {
      account: made.account.name,
      integration: made.integration.name,
      stateDir: options.stateDir,
    });
  return made !== undefined;
}

function startBackups({ onStop }: Start, { backups }: BackgroundWork): void {
  if (!backups) return;
  void backups.run();
  onStop(
    'backups',
    every(BACKUP_MS, backups.run, () => {}),
  );
}

function sayStarted({ options, log }: Start, { directory }: Storage, url: string): void {
  const { host } = options.listen;
  if (!isLoopback(host) && options.trustedProxies.length === 0 && options.tls === undefined)
    log.say('service.plain-http', { host: bracketed(host) });
  log.say('service.started', {
    url,
    accounts: directory.accounts().length,
    integrations: directory.integrationCount(),
  });
}

const alertOptions = ({ alerts, mail, hosts }: ServiceOptions) => ({
  alerts: alerts ?? { mail: [], webhook: undefined, afterMs: 0 },
  mail,
  name: alertName(hosts),
});

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.');
