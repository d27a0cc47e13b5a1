import { type ApiClient, type ApiClientOptions, createApiClient } from '../shared/api/client.ts';
import { createDispatcher, type Dispatcher } from '../shared/delivery/dispatcher.ts';
import { createHistoryReader } from '../shared/delivery/history-reader.ts';
import type { DeliveryQueue } from '../shared/delivery/queue.ts';
import { standBy } from '../shared/delivery/standby.ts';
import type { Log } from '../shared/log/log.ts';
import type { LogStatus } from '../shared/log/log-destination.ts';
import type { MailOptions } from '../shared/mail/mail.ts';
import { systemClock } from '../shared/process/clock.ts';
import { startInOrder } from '../shared/process/lifecycle.ts';
import type { PageServerOptions } from '../shared/process/page-server.ts';
import {
  createLookupPermissions,
  type LookupPermissions,
  type LookupState,
} from './agi/lookup-permission.ts';
import { createLookups, type LookupOptions, type Lookups } from './agi/lookups.ts';
import { type AmiLinkOptions, createAmiLink } from './ami/link.ts';
import { type BridgeAlertsConfig, createBridgeAlerts } from './bridge-alerts.ts';
import { type CallSettings, createRules } from './calls/rules.ts';
import { createGapFiller } from './cdr/gap-filler.ts';
import { openSource, type SourceOptions } from './cdr/open-cdr-source.ts';
import { type Outbox, openOutbox } from './outbox/outbox.ts';
import { createPruning } from './pruning.ts';
import { createReconciliation } from './reconciliation.ts';
import type { BridgeStatus } from './status/bridge-status.ts';
import { createMetrics } from './status/metrics.ts';
import { createStatusServer } from './status/status-server.ts';
import type { Liveness } from './status/systemd.ts';
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

export type Bridge = {
  /** Takes new settings. No connection is ended and no event is lost for it. */
  reload(config: LiveConfig): void;
  /** What can be seen without waiting, for the service manager's watchdog. */
  liveness(): Liveness;
  status(): Promise<BridgeStatus>;
  stop(): Promise<void>;
};

/** What is known of calls for lookups by the dialplan: nothing until the tracker runs. */
type Known = { state: LookupState };

type Tools = {
  readonly log: Log;
  /** State of the log; absent if it does not go to standard output. */
  readonly logStatus?: () => LogStatus;
  readonly version: string;
  readonly fail: (error: unknown) => void;
};

/**
 * The bridge, from the PBX's socket to the API's: builds all parts, starts them in order, and stops them in reverse.
 * `fail` is called when an essential part has died; the process should end then.
 */
export async function startBridge(config: BridgeConfig, tools: Tools): Promise<Bridge> {
  const { log } = tools;
  // Before the tracker runs, no call is known.
  const known: Known = { state: { calls: new Map(), channels: new Map(), rules: createRules(config.calls) } };
  const permissions = createLookupPermissions({
    state: () => known.state,
    setTimer: systemClock.setTimer,
  });
  const lookups =
    config.agi &&
    createLookups(config.agi, {
      api: config.api,
      permit: permissions.permit,
      log: log.child({ part: 'agi' }),
    });
  const held = Promise.withResolvers<void>();
  const opening = openOutbox(
    { directory: config.outbox.stateDir },
    { log: log.child({ part: 'outbox' }), onHeld: held.resolve },
  );
  // Callers wait for lookups: these start as soon as the state directory is locked, before its database is read.
  const stopFirst = await startInOrder(
    [
      {
        name: 'outbox',
        start: () => Promise.race([held.promise, opening]),
        stop: async () => (await opening.catch(() => undefined))?.close(),
      },
      { name: 'agi', start: lookups?.agi.start, stop: lookups?.stop },
    ],
    log,
  );
  try {
    const rest = await startRest(config, { ...tools, outbox: await opening, lookups, permissions, known });
    return {
      ...rest,
      async stop() {
        await rest.stop();
        await stopFirst();
      },
    };
  } catch (error) {
    await stopFirst();
    throw error;
  }
}

/** Builds and starts everything that needs the outbox. */
async function startRest(
  config: BridgeConfig,
  tools: Tools & {
    readonly outbox: Outbox;
    readonly lookups: Lookups | undefined;
    readonly permissions: LookupPermissions;
    readonly known: Known;
  },
): Promise<Bridge> {
  const { outbox, lookups, permissions, known, log, logStatus, version, fail } = tools;
  void outbox.failed.then(fail);
  const client = createApiClient(config.api);
  const metrics = createMetrics();
  const { standbyDelayMs } = config.outbox;
  const dispatcher = createDispatcher({
    queue: standbyDelayMs === 0 ? outbox : standingBy(outbox, client, standbyDelayMs, log),
    send: (event) => client.postCallEvent(event.body),
    onAttempt(event, result, delivered) {
      alerts.answered(result);
      metrics.attempted(result.kind === 'answer' ? result.status : undefined, result.durationMs);
      if (!delivered) return;
      metrics.delivered(Date.now() - event.queuedAt);
      reconciliation?.delivered(event);
    },
    log: log.child({ part: 'delivery' }),
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
  });
  const reconciliation = config.outbox.reconcileEveryMs
    ? createReconciliation(
        { api: config.api, pbxId: config.calls.pbxId, everyMs: config.outbox.reconcileEveryMs },
        {
          ...{ outbox, dispatcher, keepsJournal: config.outbox.journalKeepMs > 0 },
          ...{ log: log.child({ part: 'reconcile' }), now: Date.now },
        },
      )
    : undefined;
  // A standby bridge reads from the disk which events are due.
  const offer: Dispatcher['offer'] = standbyDelayMs === 0 ? dispatcher.offer : () => {};
  const saved = await outbox.load();
  const appends = watchAppends(outbox.append, Date.now);
  const tracker = createTrackerDriver(config.calls, saved, {
    log: log.child({ part: 'calls' }),
    // The tracker asks only while it gets AMI events, so there is a link by then.
    ask: {
      presentation: (uniqueid, channel) => link.ask.presentation(uniqueid, channel),
      application: (uniqueid, place) => link.ask.application(uniqueid, place),
    },
    append: appends.append,
    callsInMemory: appends.callsInMemory,
    onAppended: ({ nextEvents }) => offer(nextEvents),
    keepsJournal: config.outbox.journalKeepMs > 0,
    prefetchPriority: (number) => lookups?.agi.prefetch(number),
    onApplied: permissions.review,
    hasGapFiller: config.cdr !== undefined,
    sendsExtras: config.api.extras === true,
    fail,
  });
  known.state = tracker.state;
  const trunks = createTrunkWatch(saved.trunks, { read: outbox.trunks, apply: tracker.apply, now: Date.now });
  const source = config.cdr && (await openSource(config.cdr));
  const live = { ...tracker.live, recordDelayMs: () => link.status().recordDelayMs };
  const gapFiller =
    source &&
    createGapFiller({ source, checkpoint: saved.cdrCheckpoint, keepMs: config.outbox.keepMs }, live, {
      outbox: { append: appends.append, written: appends.written, ledgerEntries: outbox.ledgerEntries },
      onAppended: ({ nextEvents }) => offer(nextEvents),
      log: log.child({ part: 'cdr' }),
      now: Date.now,
      sendsExtras: config.api.extras === true,
    });
  const link = createAmiLink(config.ami, {
    onInput: tracker.apply,
    log: log.child({ part: 'ami' }),
    clock: systemClock,
    random: Math.random,
  });

  const read = createStatusReader(
    {
      ...{ version, pbxId: config.calls.pbxId, address: `${config.ami.host}:${config.ami.port}` },
      ...{ outbox, appends, tracker, link, dispatcher, agi: lookups?.agi, reconciliation, log: logStatus },
      alerts: () => alerts.status(),
    },
    Date.now,
  );
  const alerts = createBridgeAlerts(config, {
    ...{
      read,
      client,
      link: link.status,
      unreadable: () => gapFiller?.unreadable(),
      log: log.child({ part: 'alerts' }),
    },
  });
  const status = config.status && createStatusServer(config.status, { readStatus: read, metrics, log });

  const pruning = createPruning(outbox, config.outbox, gapFiller?.ledgerSince);
  const stop = await startInOrder(
    [
      { name: 'pruning', start: pruning.start, stop: pruning.stop },
      { name: 'api', stop: client.close },
      { name: 'delivery', start: dispatcher.start, stop: dispatcher.stop },
      { name: 'reconcile', start: reconciliation?.start, stop: reconciliation?.stop },
      { name: 'status', start: status?.start, stop: status?.stop },
      { name: 'alerts', start: alerts.start, stop: alerts.stop },
      { name: 'calls', stop: tracker.stop },
      { name: 'trunks', start: trunks.start, stop: trunks.stop },
      { name: 'ami', start: link.start, stop: link.stop },
      { name: 'cdr', start: gapFiller?.start, stop: gapFiller?.stop },
    ],
    log,
  );
  log.say('program.started', {
    version,
    pbxId: config.calls.pbxId,
    api: config.api.baseUrl,
    stateDir: config.outbox.stateDir,
    openCalls: saved.calls.length,
    waiting: await outbox.waiting(),
  });
  return {
    reload({ ami, api, calls }) {
      client.changeToken(api.token);
      lookups?.changeToken(api.token);
      reconciliation?.changeToken(api.token);
      dispatcher.retry();
      tracker.changeSettings(calls);
      link.changeLogin(ami);
    },
    liveness() {
      const { counters, ...pbx } = link.status();
      const { uncommittedSince } = appends.status();
      return { pbx: { ...pbx, ...counters }, storage: outbox.storage(), uncommittedSince };
    },
    status: read,
    stop,
  };
}

function standingBy(queue: Outbox, client: ApiClient, delayMs: number, log: Log): DeliveryQueue {
  const reader = createHistoryReader(client.history);
  return standBy({ queue, delayMs, reader, log: log.child({ part: 'delivery' }), now: Date.now });
}
