import type { Log } from '../shared/log/log.ts';
import { createMailer } from '../shared/mail/mail.ts';
import { part, startInOrder } from '../shared/process/lifecycle.ts';
import { openDirectory } from './accounts/directory.ts';
import { makeKeys } from './accounts/keys.ts';
import { serverSecret } from './accounts/server-secret.ts';
import { firstAccount } from './accounts/setup.ts';
import { buildApp } from './app/app.ts';
import { makeRateLimit } from './app/rate-limit.ts';
import { makeScreens } from './calls/screens.ts';
import { fileIn, holdStateDir, openStore } from './database/open-store.ts';
import { makeBudgets } from './kit/budget.ts';
import { every } from './kit/every.ts';
import { makeCallBackList } from './people/call-back-list.ts';
import { sendWhoCalls } from './people/who-calls.ts';
import type { ServiceOptions } from './service-options.ts';
import { makeBackups } from './upkeep/backups.ts';
import { makeMeter } from './upkeep/meter.ts';
import { counted, createMetricsServer } from './upkeep/metrics-server.ts';
import { alertName, makeServiceAlerts } from './upkeep/service-alerts.ts';
import { startUpkeep } from './upkeep/start-upkeep.ts';
import { makeAccess } from './users/access.ts';
import { makeLink } from './users/one-time-link.ts';
import { makeSessions } from './users/sessions.ts';
import { firstAdministrator } from './users/users.ts';
import { makeWebhooks } from './webhooks/webhooks.ts';

type RunningService = {
  /** `http://host:port`, as it listens; the API's base address is this and `/api/v1`. */
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
/** Open requests may take this long to end when the service stops. */
const DRAIN_MS = 4000;
const SWEEP_MS = 50;

/**
 * Starts the Call Integration API service. `fail` is called if it cannot continue.
 * @throws if the state folder is in use, not durable or of a newer version, or the address is taken.
 */
export async function startService(
  options: ServiceOptions,
  { log, version = '', fail = () => {} }: { log: Log; version?: string; fail?: (error: unknown) => void },
): Promise<RunningService> {
  const clock = Date.now;
  const startedAt = clock();
  const meter = makeMeter({ withProcess: options.metrics !== undefined });
  const mailer = options.mail && counted(createMailer(options.mail), meter.counts.mails);
  const keys = makeKeys(serverSecret(options.stateDir));
  const screens = makeScreens((account) => directory.value().extensions(account));

  const lock = part(
    'state folder',
    // Processes on one PostgreSQL may share it: it holds only the secret.
    () => (options.database === null ? holdStateDir(options.stateDir) : () => {}),
    (release) => release(),
  );
  const store = part(
    'store',
    async () => {
      const opened = await openStore(options, keys, fail);
      const { safe, ...about } = await opened.about();
      log.say(safe ? 'service.storage' : 'service.storage-unsafe', about);
      return opened;
    },
    (opened) => opened.close(),
  );
  const directory = part(
    'directory',
    async () => {
      const made = await store.value().withLock(() => firstAccount(store.value(), options.country, clock()));
      if (made) {
        const { account, integration } = made;
        log.say('service.first-start', {
          account: account.name,
          integration: integration.name,
          stateDir: options.stateDir,
        });
      }
      const opened = await openDirectory(store.value(), keys);
      const timer = setInterval(() => void opened.refresh().catch(() => {}), DIRECTORY_MS);
      return { ...opened, made: made !== undefined, stop: () => clearInterval(timer) };
    },
    ({ stop }) => stop(),
  );
  const callBackList = part(
    'call backs',
    () =>
      makeCallBackList(store.value().callers, screens, clock, (account) =>
        directory.value().extensions(account),
      ),
    () => {},
  );
  const otherProcesses = part(
    'events of other processes',
    () =>
      store.value().otherProcesses.follow(screens.accounts, {
        moved: screens.publish,
        missed: screens.restart,
        calledBack: (account) =>
          void callBackList
            .value()
            .publish(account)
            .catch(() => {}),
        customers: sendWhoCalls(store.value(), screens, callBackList.value()),
        directory: () =>
          void directory
            .value()
            .refresh()
            .catch(() => {}),
      }),
    (stop) => stop(),
  );
  const upkeep = part(
    'upkeep',
    () =>
      startUpkeep({
        ...{ store: store.value(), retention: options.retention, mailer, origin: publicUrl, clock, log },
        accounts,
      }),
    (stop) => stop(),
  );
  const backups = options.backups && makeBackups(fileIn(options.stateDir), options.backups, { clock, log });
  const backingUp = part(
    'backups',
    () => {
      const run = async () => backups?.run();
      void run();
      return every(BACKUP_MS, run, () => {});
    },
    (stop) => stop(),
  );
  const alerts = part(
    'alerts',
    () => {
      const made = makeServiceAlerts(
        { ...options, ...alertOptions(options) },
        { store: store.value(), directory: directory.value(), backups, clock, log },
      );
      made.start();
      return made;
    },
    (made) => made.stop(),
  );
  const webhooks = part(
    'webhooks',
    () => {
      const { webhookNetworks: networks = [], webhookTimes, database } = options;
      const made = makeWebhooks(
        { networks, shared: database !== null, ...webhookTimes },
        { store: store.value(), directory: directory.value(), keys, clock, log },
      );
      made.start();
      return made;
    },
    (made) => made.stop(),
  );
  const sessions = part(
    'sessions',
    () => {
      const made = makeSessions(store.value().users, clock);
      const again = () => {}; // when the storage is back
      return {
        ...made,
        stops: [every(TRIM_MS, made.trim, again), every(SESSIONS_MS, made.endClosed, again)],
      };
    },
    ({ stops }) => {
      for (const stop of stops) stop();
    },
  );
  const app = part(
    'app',
    async () => {
      const { requestsPerMinute: perMinute } = options;
      const rateLimit = perMinute === null ? null : { perMinute, limiter: makeRateLimit(perMinute) };
      const built = await buildApp(
        {
          store: store.value(),
          directory: directory.value(),
          sessions: sessions.value(),
          access: makeAccess({ ...options, users: store.value().users, keys, clock, log }),
          keys,
          screens,
          callBackList: callBackList.value(),
          publicUrl: options.publicUrl,
          mailer,
          budgets: makeBudgets(),
          rateLimit,
          meter,
          observed: alerts.value(),
          webhooks: webhooks.value(),
          webhookNetworks: options.webhookNetworks ?? [],
          clock,
          log,
        },
        options,
      );
      await built.listen(options.listen);
      return built;
    },
    async (built) => {
      // Node closes the connections that are idle now; others become idle when their last response is sent.
      const sweep = setInterval(() => built.server.closeIdleConnections(), SWEEP_MS);
      const cut = setTimeout(() => built.server.closeAllConnections(), DRAIN_MS);
      await built.close();
      clearInterval(sweep);
      clearTimeout(cut);
    },
  );

  const metrics = part(
    'metrics',
    async () => {
      if (options.metrics === undefined) return undefined;
      const server = createMetricsServer(options.metrics, {
        ...{ meter, version, startedAt, screens, backups, log },
        ...{
          store: store.value(),
          directory: directory.value(),
          alerts: alerts.value(),
          webhooks: webhooks.value(),
        },
      });
      await server.start();
      return server;
    },
    (server) => server?.stop(),
  );
  const accounts = () => directory.value().accounts();

  const ownUrl = () => {
    const { port } = app.value().server.address() as { port: number };
    return `http://${hostOf(options.listen.host)}:${port}`;
  };
  /** As people reach it. */
  const publicUrl = () =>
    options.publicUrl ?? (options.hosts[0] === undefined ? ownUrl() : `https://${options.hosts[0]}`);

  const stop = await startInOrder(
    [
      ...[lock, store, directory, callBackList, otherProcesses, upkeep, backingUp, alerts],
      ...[webhooks, sessions, app, metrics],
    ],
    log,
  );
  const url = ownUrl();
  if (!isLoopback(options.listen.host) && options.trustedProxies.length === 0)
    log.say('service.plain-http', { host: hostOf(options.listen.host) });
  const first = () => accounts()[0] as NonNullable<ReturnType<typeof accounts>[0]>;
  const integrations = () => directory.value().integrations(first().id);
  log.say('service.started', {
    url,
    accounts: accounts().length,
    integrations: directory.value().integrationCount(),
  });
  return {
    url,
    firstStart: directory.value().made,
    token: () => {
      const integration = integrations().find((candidate) => candidate.enabled);
      if (integration === undefined)
        throw new Error('the first account has no integration that is switched on');
      return keys.integrationToken(integration);
    },
    link: async () => {
      const user = await store.value().withLock(() => firstAdministrator(store.value(), first(), clock()));
      return `${options.publicUrl ?? url}/sign-in#${await makeLink(store.value(), keys, user, clock())}`;
    },
    stop,
  };
}

const alertOptions = ({ alerts, mail, hosts }: ServiceOptions) => ({
  alerts: alerts ?? { mail: [], webhook: undefined, afterMs: 0 },
  mail,
  name: alertName(hosts),
});
const hostOf = (host: string) => (host.includes(':') ? `[${host}]` : host);

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.');
