import { type ApiClient, createApiClient } from '../shared/api/client.ts';
import { createDispatcher } from '../shared/delivery/dispatcher.ts';
import { createHistoryReader } from '../shared/delivery/history-reader.ts';
import { standBy } from '../shared/delivery/standby.ts';
import type { Log } from '../shared/log/log.ts';
import type { LogStatus } from '../shared/log/log-destination.ts';
import { monotonicClock, monotonicMs, systemClock } from '../shared/process/clock.ts';
import { partsOf, stopOnce } from '../shared/process/lifecycle.ts';
import { createLookups } from './agi/agi.ts';
import { createLookupPermissions } from './agi/lookup-permission.ts';
import { createAmiLink } from './ami/link.ts';
import { createBridgeAlerts } from './bridge-alerts.ts';
import type { BridgeConfig, LiveConfig } from './bridge-config.ts';
import { createCallBackReporter } from './call-back-reporter.ts';
import { type CallSettings, createRules, type Rules } from './calls/rules.ts';
import { createBackfill } from './cdr/backfill.ts';
import { backfillHindrance } from './cdr/backfill-state.ts';
import { createGapFiller } from './cdr/gap-filler.ts';
import { openSource } from './cdr/open-cdr-source.ts';
import { createChannelWatch } from './channel-watch.ts';
import { watchAppends } from './outbox/append-watch.ts';
import { type Appended, createPruning, openOutbox } from './outbox/outbox.ts';
import { createReconciliation } from './reconciliation.ts';
import type { BridgeStatus } from './status/bridge-status.ts';
import { createMetrics } from './status/metrics.ts';
import { createStatusServer } from './status/status-server.ts';
import type { Liveness } from './status/supervision.ts';
import { createStatusReader } from './status.ts';
import { createTrackerDriver } from './tracker-driver.ts';
import { createTrunkWatch } from './trunk-watch.ts';
import { createWhoReporter } from './who-reporter.ts';

type Tools = {
  readonly log: Log;
  /** State of the log; absent if it does not go to standard output. */
  readonly logStatus?: () => LogStatus;
  readonly version: string;
  readonly fail: (error: unknown) => void;
};

export type Bridge = Awaited<ReturnType<typeof startBridge>>;

/** What the parts of a bridge are made with. `onStop`: how each is stopped, in the reverse order. */
type Start = {
  readonly config: BridgeConfig;
  readonly tools: Tools;
  readonly onStop: (part: string, stop: () => unknown) => void;
  readonly now: () => number;
  readonly keepsJournal: boolean;
  readonly rules: Rules;
};

/**
 * The bridge: its parts in the order of the data, from the PBX's socket to the API's. Each is stopped in the reverse of the
 * order in which it starts. `fail` is called when an essential part has died; the process should end then.
 */
export async function startBridge(config: BridgeConfig, tools: Tools) {
  await using starting = new AsyncDisposableStack();
  const rulesBy = (settings: CallSettings) =>
    createRules(settings, { hasGapFiller: config.cdr !== undefined });
  const start: Start = {
    config,
    tools,
    onStop: partsOf(starting, tools.log),
    now: Date.now,
    keepsJournal: config.outbox.journalKeepMs > 0,
    rules: rulesBy(config.calls),
  };
  // The tracker's events are on disk before delivery gets them. Nothing is heard until everything is there.
  const storage = await openStorage(start);
  const calls = await createCallParts(start, storage, {
    onAppended: (appended) => delivery.onAppended(appended),
    client: () => delivery.client,
  });
  const delivery = createDelivery(start, storage);
  const reports = createReports(start, storage, calls, delivery);
  const backfill = await createBackfillPart(start, storage, calls, delivery, reports);
  startDelivery(start, storage, calls, delivery, reports, backfill);
  await startReports(start, reports);
  await startCallParts(start, calls);
  if (backfill) {
    start.onStop('backfill', backfill.stop);
    backfill.start();
  }

  const { outbox, saved, lookups } = storage;
  tools.log.say('program.started', {
    version: tools.version,
    pbxId: config.calls.pbxId,
    api: config.api.baseUrl,
    stateDir: config.outbox.stateDir,
    openCalls: saved.calls.length,
    waiting: await outbox.waiting(),
  });
  const stop = stopOnce(starting);
  return {
    /** Takes new settings. No connection is ended and no event is lost for it. */
    reload({ ami, api, calls: settings }: LiveConfig) {
      delivery.client.changeToken(api.token);
      lookups?.changeToken(api.token);
      delivery.reconciliation?.changeToken(api.token);
      delivery.dispatcher.retry();
      calls.tracker.changeRules(rulesBy(settings));
      calls.link.changeLogin(ami);
    },
    /** What can be seen without waiting, for the service manager's watchdog. */
    liveness(): Liveness {
      const { counters, ...pbx } = calls.link.status();
      const { uncommittedSince } = outbox.appendStatus();
      return { pbx: { ...pbx, ...counters }, storage: outbox.storage(), uncommittedSince };
    },
    status: reports.status,
    stop,
  };
}

type Storage = Awaited<ReturnType<typeof openStorage>>;

/** Opens the outbox. Callers wait for lookups: these start as soon as the state directory is locked, before its database is read. */
async function openStorage({ config, tools: { log, fail }, onStop, now, rules }: Start) {
  const locked = Promise.withResolvers<void>();
  const opening = openOutbox(
    { directory: config.outbox.stateDir },
    { log: log.child({ part: 'outbox' }), onLocked: locked.resolve },
  );
  onStop('outbox', async () => (await opening.catch(() => undefined))?.close());
  await Promise.race([locked.promise, opening]);
  const permissions = createLookupPermissions(rules, systemClock.setTimer);
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
  const outbox = watchAppends(await opening, now);
  void outbox.failed.then(fail);
  return { permissions, lookups, outbox, saved: await outbox.load() };
}

type CallParts = Awaited<ReturnType<typeof createCallParts>>;

/** What observes the PBX and decides about its calls. */
async function createCallParts(
  { config, tools: { log, fail }, now, keepsJournal, rules }: Start,
  { outbox, saved, lookups, permissions }: Storage,
  {
    onAppended,
    client,
  }: { readonly onAppended: (appended: Appended) => void; readonly client: () => ApiClient },
) {
  const sendsExtras = config.api.extras === true;
  const link = createAmiLink(config.ami, {
    log: log.child({ part: 'ami' }),
    clock: systemClock,
    random: Math.random,
  });
  const who = sendsExtras ? createWhoReporter((body) => client().reportCalls(body), systemClock) : undefined;
  const tracker = createTrackerDriver(rules, saved, {
    log: log.child({ part: 'calls' }),
    ask: link.ask,
    askChannels: () => channels.request(),
    append: outbox.append,
    callsInMemory: outbox.callsInMemory,
    onAppended,
    keepsJournal,
    who,
    prefetchPriority: (number) => lookups?.agi.prefetch(number),
    onApplied(input, effects) {
      permissions.review(input, effects);
      callBacks?.observe(input, effects);
    },
    sendsExtras,
    fail,
  });
  permissions.follow(tracker.state);
  const callBacks = config.api.callBacks
    ? createCallBackReporter(tracker.state, {
        client: {
          waitingNumbers: (known) => client().waitingNumbers(known),
          reportCallBack: (body) => client().reportCallBack(body),
        },
        clock: monotonicClock,
        log: log.child({ part: 'calls' }),
        extensions: config.api.callBacks,
      })
    : undefined;
  const channels = createChannelWatch({
    ask: link.ask.channels,
    hasOpenCalls: () => tracker.state.calls.size > 0,
  });
  const trunks = createTrunkWatch(saved.trunks, { read: outbox.trunks, apply: tracker.apply, now });
  const source = config.cdr && (await openSource(config.cdr));
  const gapFiller =
    source &&
    createGapFiller(
      { source, checkpoint: saved.cdrCheckpoint, keepMs: config.outbox.keepMs },
      { ...tracker.live, recordOptions: () => link.status().records },
      { outbox, onAppended, log: log.child({ part: 'cdr' }), now, sendsExtras },
    );
  return { link, tracker, who, callBacks, channels, trunks, gapFiller };
}

type Delivery = ReturnType<typeof createDelivery>;

/** What sends events to the API, and compares them with its history. */
function createDelivery({ config, tools: { log }, now, keepsJournal }: Start, { outbox }: Storage) {
  const { standbyDelayMs, reconcileEveryMs } = config.outbox;
  const client = createApiClient(config.api);
  const dispatcher = createDispatcher({
    queue:
      standbyDelayMs === 0
        ? outbox
        : standBy({
            queue: outbox,
            delayMs: standbyDelayMs,
            reader: createHistoryReader(client.history),
            log: log.child({ part: 'delivery' }),
            now,
          }),
    send: (event) => client.postCallEvent(event.body),
    log: log.child({ part: 'delivery' }),
    now,
    monotonic: monotonicMs,
    random: Math.random,
  });
  const reconciliation = reconcileEveryMs
    ? createReconciliation(
        { api: config.api, pbxId: config.calls.pbxId, everyMs: reconcileEveryMs },
        { outbox, dispatcher, keepsJournal, now, log: log.child({ part: 'reconcile' }) },
      )
    : undefined;
  return {
    client,
    dispatcher,
    reconciliation,
    // A standby bridge reads from the disk which events are due.
    onAppended: ({ nextEvents }: Appended) => {
      if (standbyDelayMs === 0) dispatcher.offer(nextEvents);
    },
  };
}

type Reports = ReturnType<typeof createReports>;

/** What the bridge says of itself: status, alerts and metrics. */
function createReports(
  { config, tools, now }: Start,
  storage: Storage,
  { link, tracker, callBacks, gapFiller }: CallParts,
  { client, dispatcher, reconciliation }: Delivery,
) {
  const { log, logStatus, version } = tools;
  const read = createStatusReader(
    {
      version,
      pbxId: config.calls.pbxId,
      address: `${config.ami.host}:${config.ami.port}`,
      outbox: storage.outbox,
      tracker,
      link,
      dispatcher,
      reconciliation,
      agi: storage.lookups?.agi,
      callBacks,
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
  return { alerts, status, metrics, server };
}

/** What reports the calls of before the bridge, if an operator wishes. */
async function createBackfillPart(
  { config, tools: { log }, now }: Start,
  { outbox }: Storage,
  { tracker, link }: CallParts,
  { dispatcher, onAppended }: Delivery,
  { alerts }: Reports,
) {
  if (config.cdr === undefined) return undefined;
  return createBackfill(
    await openSource(config.cdr),
    { ...tracker.live, recordOptions: () => link.status().records },
    {
      outbox,
      onAppended,
      hindrance: () =>
        backfillHindrance({
          sendsExtras: config.api.extras === true,
          takesPast: alerts.takesPast(),
          delivery: dispatcher.status().state,
        }),
      log: log.child({ part: 'cdr' }),
      now,
    },
  );
}

function startDelivery(
  { config, onStop, now }: Start,
  { outbox }: Storage,
  { gapFiller, who }: CallParts,
  { client, dispatcher, reconciliation }: Delivery,
  { alerts, metrics }: Reports,
  backfill: Awaited<ReturnType<typeof createBackfillPart>>,
): void {
  const pruning = createPruning(outbox, config.outbox, () =>
    Math.min(
      gapFiller?.ledgerSince() ?? Number.POSITIVE_INFINITY,
      backfill?.ledgerSince() ?? Number.POSITIVE_INFINITY,
    ),
  );
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
    who?.delivered(event);
  });
  if (reconciliation) {
    onStop('reconcile', reconciliation.stop);
    reconciliation.start();
  }
}

async function startReports({ onStop }: Start, { server, alerts }: Reports): Promise<void> {
  if (server) {
    onStop('status', server.stop);
    await server.start();
  }
  onStop('alerts', alerts.stop);
  alerts.start();
}

/** The PBX is heard last, when all that its events need is there. */
async function startCallParts(
  { onStop }: Start,
  { tracker, who, callBacks, trunks, channels, link, gapFiller }: CallParts,
): Promise<void> {
  if (who) onStop('who', who.stop);
  if (callBacks) {
    onStop('call backs', callBacks.stop);
    callBacks.start();
  }
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
}
