import { type ApiClient, type ApiClientOptions, createApiClient } from '../shared/api/client.ts';
import { createDispatcher } from '../shared/delivery/dispatcher.ts';
import { createHistoryReader } from '../shared/delivery/history-reader.ts';
import type { DeliveryQueue } from '../shared/delivery/queue.ts';
import { standBy } from '../shared/delivery/standby.ts';
import type { Log } from '../shared/log/log.ts';
import type { LogStatus } from '../shared/log/log-destination.ts';
import type { MailOptions } from '../shared/mail/mail.ts';
import { monotonicMs, systemClock } from '../shared/process/clock.ts';
import { partsOf, stopOnce } from '../shared/process/lifecycle.ts';
import type { PageServerOptions } from '../shared/process/page-server.ts';
import { createLookups, type LookupOptions } from './agi/agi.ts';
import { createLookupPermissions } from './agi/lookup-permission.ts';
import { type AmiLinkOptions, createAmiLink } from './ami/link.ts';
import { type BridgeAlertsConfig, createBridgeAlerts } from './bridge-alerts.ts';
import { type CallSettings, createRules } from './calls/rules.ts';
import { createGapFiller } from './cdr/gap-filler.ts';
import { openSource, type SourceOptions } from './cdr/open-cdr-source.ts';
import { createChannelWatch } from './channel-watch.ts';
import { type Appended, createPruning, type Outbox, openOutbox } from './outbox/outbox.ts';
import { createReconciliation } from './reconciliation.ts';
import type { BridgeStatus } from './status/bridge-status.ts';
import { createMetrics } from './status/metrics.ts';
import { createStatusServer } from './status/status-server.ts';
import type { Liveness } from './status/supervision.ts';
import { createStatusReader, watchAppends } from './status.ts';
import { createTrackerDriver } from './tracker-driver.ts';
import { createTrunkWatch } from './trunk-watch.ts';

type BridgeConfig = {
  readonly ami: AmiLinkOptions;
  readonly calls: CallSettings;
  /** Asterisk's own call records; absent: calls that were not observed are not reported. */
  readonly cdr: SourceOptions | undefined;
  readonly api: ApiClientOptions;
  /** Absent: no priority lookups are answered. */
  readonly agi: LookupOptions | undefined;
  readonly outbox: {
    readonly stateDir: string;
    /** How long delivered events are kept, ms. */
    readonly keepMs: number;
    /** Interval of comparisons with the API's history, ms; 0: none. */
    readonly reconcileEveryMs: number;
    /** How long the journal is kept, ms; 0: there is no journal. */
    readonly journalKeepMs: number;
    /** Head start of another bridge that reports the same calls, ms; 0: no other bridge. */
    readonly standbyDelayMs: number;
  };
  readonly status: PageServerOptions | undefined;
  readonly alerts: BridgeAlertsConfig['alerts'];
  readonly mail: MailOptions | undefined;
};

/** Settings that a running bridge can change: its logins, and the rules for the next calls. */
type LiveConfig = {
  readonly ami: Pick<AmiLinkOptions, 'username' | 'secret'>;
  readonly api: Pick<ApiClientOptions, 'token'>;
  readonly calls: CallSettings;
};

type Tools = {
  readonly log: Log;
  /** State of the log; absent if it does not go to standard output. */
  readonly logStatus?: () => LogStatus;
  readonly version: string;
  readonly fail: (error: unknown) => void;
};

export type Bridge = Awaited<ReturnType<typeof startBridge>>;

/**
 * The bridge, from the PBX's socket to the API's: its parts in the order in which they are built, and stopped in the
 * reverse of that in which they start. `fail` is called when an essential part has died; the process should end then.
 */
export async function startBridge(config: BridgeConfig, tools: Tools) {
  const { log, logStatus, version, fail } = tools;
  await using starting = new AsyncDisposableStack();
  const onStop = partsOf(starting, log);
  const now = Date.now;
  const { pbxId } = config.calls;
  const { standbyDelayMs, reconcileEveryMs, keepMs } = config.outbox;
  const keepsJournal = config.outbox.journalKeepMs > 0;
  const sendsExtras = config.api.extras === true;

  // Callers wait for lookups: these start as soon as the state directory is locked, before its database is read.
  const held = Promise.withResolvers<void>();
  const opening = openOutbox(
    { directory: config.outbox.stateDir },
    { log: log.child({ part: 'outbox' }), onHeld: held.resolve },
  );
  onStop('outbox', async () => (await opening.catch(() => undefined))?.close());
  await Promise.race([held.promise, opening]);
  const permissions = createLookupPermissions(createRules(config.calls), systemClock.setTimer);
  const lookups =
    config.agi &&
    createLookups(config.agi, {
      api: config.api,
      permit: permissions.permit,
      log: log.child({ part: 'agi' }),
    });
  if (lookups) {
    onStop('agi', lookups.stop);
    await lookups.agi.start();
  }

  const outbox = await opening;
  void outbox.failed.then(fail);
  const saved = await outbox.load();
  const appends = watchAppends(outbox.append, now);

  const client = createApiClient(config.api);
  const dispatcher = createDispatcher({
    queue: standbyDelayMs === 0 ? outbox : standingBy(outbox, client, standbyDelayMs, log),
    send: (event) => client.postCallEvent(event.body),
    log: log.child({ part: 'delivery' }),
    now,
    monotonic: monotonicMs,
    random: Math.random,
  });
  // A standby bridge reads from the disk which events are due.
  const onAppended = ({ nextEvents }: Appended) => {
    if (standbyDelayMs === 0) dispatcher.offer(nextEvents);
  };
  const reconciliation = reconcileEveryMs
    ? createReconciliation(
        { api: config.api, pbxId, everyMs: reconcileEveryMs },
        { outbox, dispatcher, keepsJournal, now, log: log.child({ part: 'reconcile' }) },
      )
    : undefined;

  const link = createAmiLink(config.ami, {
    log: log.child({ part: 'ami' }),
    clock: systemClock,
    random: Math.random,
  });
  const tracker = createTrackerDriver(config.calls, saved, {
    log: log.child({ part: 'calls' }),
    ask: link.ask,
    askChannels: () => channels.request(),
    append: appends.append,
    callsInMemory: appends.callsInMemory,
    onAppended,
    keepsJournal,
    prefetchPriority: (number) => lookups?.agi.prefetch(number),
    onApplied: permissions.review,
    hasGapFiller: config.cdr !== undefined,
    sendsExtras,
    fail,
  });
  permissions.follow(tracker.state);
  const channels = createChannelWatch({
    ask: link.ask.channels,
    hasOpenCalls: () => tracker.state.calls.size > 0,
  });
  const trunks = createTrunkWatch(saved.trunks, { read: outbox.trunks, apply: tracker.apply, now });
  const source = config.cdr && (await openSource(config.cdr));
  const gapFiller =
    source &&
    createGapFiller(
      { source, checkpoint: saved.cdrCheckpoint, keepMs },
      { ...tracker.live, recordOptions: () => link.status().records },
      {
        outbox: { ...outbox, append: appends.append, written: appends.written },
        onAppended,
        log: log.child({ part: 'cdr' }),
        now,
        sendsExtras,
      },
    );

  const address = `${config.ami.host}:${config.ami.port}`;
  const read = createStatusReader(
    {
      version,
      pbxId,
      address,
      outbox,
      appends,
      tracker,
      link,
      dispatcher,
      reconciliation,
      agi: lookups?.agi,
      log: logStatus,
    },
    now,
  );
  const alerts = createBridgeAlerts(config, {
    read,
    client,
    link: link.status,
    log: log.child({ part: 'alerts' }),
    unreadable: () => gapFiller?.unreadable(),
  });
  async function status(): Promise<BridgeStatus> {
    const state = await read();
    return { ...state, alerts: alerts.status(state) };
  }
  const metrics = createMetrics();
  const server = config.status && createStatusServer(config.status, { readStatus: status, metrics, log });
  const pruning = createPruning(outbox, config.outbox, gapFiller?.ledgerSince);

  onStop('pruning', pruning.stop);
  pruning.start();
  onStop('api', client.close);
  onStop('delivery', dispatcher.stop);
  dispatcher.start((event, result, delivered) => {
    alerts.answered(result);
    metrics.attempted(result.kind === 'answer' ? result.status : undefined, result.durationMs);
    if (!delivered) return;
    metrics.delivered(now() - event.queuedAt);
    reconciliation?.delivered(event);
  });
  if (reconciliation) {
    onStop('reconcile', reconciliation.stop);
    reconciliation.start();
  }
  if (server) {
    onStop('status', server.stop);
    await server.start();
  }
  onStop('alerts', alerts.stop);
  alerts.start();
  onStop('calls', tracker.stop);
  onStop('trunks', trunks.stop);
  trunks.start();
  onStop('channels', channels.stop);
  channels.start();
  onStop('ami', link.stop);
  link.start(tracker.apply);
  if (gapFiller) {
    onStop('cdr', gapFiller.stop);
    await gapFiller.start();
  }

  log.say('program.started', {
    version,
    pbxId,
    api: config.api.baseUrl,
    stateDir: config.outbox.stateDir,
    openCalls: saved.calls.length,
    waiting: await outbox.waiting(),
  });
  const stop = stopOnce(starting);
  return {
    /** Takes new settings. No connection is ended and no event is lost for it. */
    reload({ ami, api, calls }: LiveConfig) {
      client.changeToken(api.token);
      lookups?.changeToken(api.token);
      reconciliation?.changeToken(api.token);
      dispatcher.retry();
      tracker.changeSettings(calls);
      link.changeLogin(ami);
    },
    /** What can be seen without waiting, for the service manager's watchdog. */
    liveness(): Liveness {
      const { counters, ...pbx } = link.status();
      const { uncommittedSince } = appends.status();
      return { pbx: { ...pbx, ...counters }, storage: outbox.storage(), uncommittedSince };
    },
    status,
    stop,
  };
}

function standingBy(queue: Outbox, client: ApiClient, delayMs: number, log: Log): DeliveryQueue {
  const reader = createHistoryReader(client.history);
  return standBy({ queue, delayMs, reader, log: log.child({ part: 'delivery' }), now: Date.now });
}
