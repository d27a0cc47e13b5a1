import { type Agi, type AgiOptions, createAgi } from './agi/agi.ts';
import { systemClock } from './ami/clock.ts';
import { type AmiLink, type AmiLinkOptions, createAmiLink } from './ami/link.ts';
import { type ApiClient, type ApiClientOptions, createApiClient } from './api/client.ts';
import type { CallEvent } from './api/contract/call-event.ts';
import { NUMBER_WAIT_MS } from './calls/call.ts';
import type { Effect, Tell } from './calls/effect.ts';
import type { Input } from './calls/input.ts';
import { reduce } from './calls/reduce.ts';
import { type CallSettings, createRules } from './calls/rules.ts';
import { initialState, type OpenCall } from './calls/state.ts';
import { createDispatcher, type Dispatcher } from './delivery/dispatcher.ts';
import { startInOrder } from './ops/lifecycle.ts';
import type { Log } from './ops/log.ts';
import { type Batch, type Outbox, openOutbox, type Taken } from './outbox/outbox.ts';

export type BridgeConfig = {
  readonly ami: AmiLinkOptions;
  readonly calls: CallSettings;
  readonly api: ApiClientOptions;
  /** Priority lookups for the dialplan; `parameter` is the number's name in the API's query. */
  readonly agi: (AgiOptions & { readonly parameter: string }) | undefined;
  readonly outbox: {
    readonly stateDir: string;
    /** Undelivered events older than this are parked, ms. */
    readonly maxAgeMs: number;
    /** Delivered events are kept for so long, ms. */
    readonly keepMs: number;
  };
};

export type Bridge = { stop(): Promise<void> };

/** How often old delivered events are forgotten, ms. */
const PRUNE_EVERY_MS = 600_000;

/** How long a lookup's connection and its answer may take, ms: a late answer is still good for the next call. */
const LOOKUP_MS = 2_000;

/**
 * The bridge, from the PBX's socket to the API's: everything is built here, started in order, stopped in reverse.
 * `fail` is called when a part that nothing works without has died; the process should end then.
 */
export async function startBridge(
  config: BridgeConfig,
  { log, version, fail }: { log: Log; version: string; fail: (error: unknown) => void },
): Promise<Bridge> {
  const outbox = await openOutbox(
    { directory: config.outbox.stateDir },
    { log: log.child({ part: 'outbox' }) },
  );
  void outbox.failed.then(fail);
  const client = createApiClient(config.api);
  const dispatcher = createDispatcher({
    queue: outbox,
    send: (event) => client.postCallEvent(event.body),
    log: log.child({ part: 'delivery' }),
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    limits: { maxAgeMs: config.outbox.maxAgeMs },
  });
  const lookups = config.agi && createLookups(config.agi, config, log.child({ part: 'agi' }));
  const saved = await outbox.load();
  const tracker = createTracker(config.calls, saved, {
    log: log.child({ part: 'calls' }),
    // The tracker speaks only when the link does, so there is one by then.
    ask: (uniqueid, channel) => link.askPresentation(uniqueid, channel),
    append: (batch) => outbox.append(batch),
    onTaken: ({ heads }) => dispatcher.offer(heads),
    onExpected: (number) => lookups?.agi.expect(number),
    fail,
  });
  const link = createAmiLink(config.ami, {
    onInput: tracker.hear,
    log: log.child({ part: 'ami' }),
    clock: systemClock,
    random: Math.random,
  });

  const stop = await startInOrder(
    partsOf({ outbox, client, dispatcher, lookups, link, tracker, config }),
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
  return { stop };
}

function partsOf(parts: {
  outbox: Outbox;
  client: ApiClient;
  dispatcher: Dispatcher;
  lookups: Lookups | undefined;
  tracker: Tracker;
  link: AmiLink;
  config: BridgeConfig;
}) {
  const { outbox, client, dispatcher, lookups, tracker, link, config } = parts;
  const nothing = async () => {};
  let pruning: NodeJS.Timeout | undefined;
  return [
    { name: 'outbox', start: nothing, stop: () => outbox.close() },
    {
      name: 'pruning',
      start: async () => {
        const prune = () => void outbox.prune(Date.now() - config.outbox.keepMs).catch(() => {});
        pruning = setInterval(prune, PRUNE_EVERY_MS).unref();
      },
      stop: async () => clearInterval(pruning),
    },
    { name: 'api', start: nothing, stop: () => client.close() },
    { name: 'delivery', start: async () => dispatcher.start(), stop: () => dispatcher.stop() },
    {
      name: 'agi',
      start: async () => lookups?.agi.start(),
      stop: async () => {
        await lookups?.agi.stop();
        await lookups?.client.close();
      },
    },
    { name: 'calls', start: nothing, stop: () => tracker.stop() },
    { name: 'ami', start: async () => link.start(), stop: async () => link.stop() },
  ];
}

type Lookups = { readonly agi: Agi; readonly client: ApiClient };

/** Lookups have connections of their own: they never wait behind call events, and never delay them. */
function createLookups(
  { parameter, ...options }: NonNullable<BridgeConfig['agi']>,
  { api, calls }: BridgeConfig,
  log: Log,
): Lookups {
  const client = createApiClient({
    ...api,
    connections: options.concurrency,
    connectTimeoutMs: LOOKUP_MS,
    answerTimeoutMs: LOOKUP_MS,
  });
  const agi = createAgi(options, {
    request: (number) => client.priority({ parameter, number }),
    country: calls.defaultCountry,
    clock: { now: () => performance.now(), setTimer: systemClock.setTimer },
    log,
  });
  return { agi, client };
}

type Tracker = {
  hear(input: Input): void;
  /** Waits until all that was heard is on disk. */
  stop(): Promise<void>;
};

/** Does what the pure tracker wants done: what is told goes to disk first, and only then to the log and out. */
function createTracker(
  settings: CallSettings,
  saved: { calls: readonly { state: string }[]; trunks: readonly string[] },
  tools: {
    log: Log;
    ask: AmiLink['askPresentation'];
    append: Outbox['append'];
    onTaken: (taken: Taken) => void;
    onExpected: (number: string) => void;
    fail: (error: unknown) => void;
  },
): Tracker {
  const rules = createRules(settings);
  const calls = saved.calls.map(({ state }) => JSON.parse(state) as OpenCall);
  let state = initialState({ calls, trunks: saved.trunks });
  let alarm: { at: number; timer: NodeJS.Timeout } | undefined;
  let lastAppend: Promise<unknown> = Promise.resolve();

  const hear = (input: Input): void => {
    const step = reduce(rules, state, input);
    state = step.state;
    if (step.effects.length > 0) carryOut(step.effects);
  };

  /** One timer is enough: at each tick the tracker asks again for whatever it still waits for. */
  const wakeAt = (at: number): void => {
    if (alarm !== undefined && alarm.at <= at) return;
    clearTimeout(alarm?.timer);
    const ring = () => {
      alarm = undefined;
      hear({ type: 'tick', at: Date.now() });
    };
    alarm = { at, timer: setTimeout(ring, Math.min(Math.max(at - Date.now(), 0), NUMBER_WAIT_MS)) };
  };

  const carryOut = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'note')
        tools.log.say(`call.${effect.decision}`, { call: effect.id, why: effect.why });
      if (effect.type === 'wake') wakeAt(effect.at);
      if (effect.type === 'expect') tools.onExpected(effect.number);
      if (effect.type === 'ask') tools.ask(effect.uniqueid, effect.channel);
    }
    const told = effects.filter((effect) => effect.type === 'tell');
    const batch = {
      calls: effects.flatMap((effect): Batch['calls'] => {
        if (effect.type === 'save') return [{ id: effect.call.id, state: JSON.stringify(effect.call) }];
        return effect.type === 'free' ? [{ id: effect.id, state: null }] : [];
      }),
      trunks: effects.flatMap((effect) => (effect.type === 'trunk' ? [effect.endpoint] : [])),
      events: told.map((tell) => ({
        callId: tell.id,
        status: tell.status,
        body: JSON.stringify(callEvent(tell)),
        takenAt: tell.at,
      })),
    };
    if (batch.calls.length + batch.trunks.length + batch.events.length === 0) return;
    lastAppend = tools.append(batch).then((taken) => {
      for (const tell of told) logTold(tools.log, tell);
      tools.onTaken(taken);
    }, tools.fail);
  };

  return {
    hear,
    async stop() {
      clearTimeout(alarm?.timer);
      await lastAppend;
    },
  };
}

function callEvent({ id, status, from, callerId }: Tell): CallEvent {
  const event = { id, direction: 'inbound' as const, status, from };
  return callerId === undefined ? event : { ...event, caller_id: callerId };
}

function logTold(log: Log, { id, status, from, callerId }: Tell): void {
  const outcome = callerId === undefined ? 'missed' : `was answered by ${callerId}`;
  log.say(`call.${status}`, { call: id, from, ...(callerId === undefined ? {} : { callerId }), outcome });
}
