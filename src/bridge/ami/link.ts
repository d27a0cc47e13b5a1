import type { Log } from '../../shared/log/log.ts';
import type { Clock } from '../../shared/process/clock.ts';
import type { Input } from '../calls/input.ts';
import { type RecordOptions, usualRecords } from '../cdr/cdr-source.ts';
import { answerDeadline, reconnectDelay } from './backoff.ts';
import { type AmiFailure, isSilence } from './failure.ts';
import { type AmiCounters, createCounters, createLinkLog } from './link-log.ts';
import type { PbxFacts } from './pbx-facts.ts';
import type { Questions } from './questions.ts';
import { type PbxUp, runSession } from './session.ts';
import { assertSafe } from './wire/manager.ts';
import type { Endpoint } from './wire/socket.ts';

export type AmiLinkOptions = Endpoint & {
  readonly username: string;
  readonly secret: string;
  /** How long TCP and TLS together may take; 5000 ms when absent. */
  readonly connectDeadlineMs?: number | undefined;
  /** How long nothing may arrive before an answer, longer after attempts that got none (`answerDeadline`); 5000 ms when absent. */
  readonly answerDeadlineMs?: number | undefined;
  /** From one answered Ping to the next; 5000 ms when absent. */
  readonly pingIntervalMs?: number | undefined;
  /** How long nothing at all may arrive after a Ping; 4000 ms when absent. */
  readonly pingDeadlineMs?: number | undefined;
};

type AmiLinkTools = {
  /** Sees every frame as Asterisk sent it, valid only during the call; `at` in Unix milliseconds. */
  onFrame?: ((frame: Buffer, at: number) => void) | undefined;
  readonly log: Log;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  random(): number;
};

/** All times are Unix milliseconds. */
export type AmiStatus = {
  readonly state: 'stopped' | 'connecting' | 'waiting' | 'up';
  /** When this state began. */
  readonly since: number;
  /** Asterisk's version; '' when unknown. */
  readonly version: string;
  /** Asterisk's defaults until the link was up. */
  readonly records: RecordOptions;
  /** When Asterisk's certificate expires; undefined without TLS and until the link was up. */
  readonly certificateEndsAt?: number | undefined;
  /** Whether its events say which call a channel belongs to; undefined until one came. */
  readonly hasLinkedid?: boolean | undefined;
  readonly lastEventAt: number | undefined;
  readonly lastPongAt: number | undefined;
  /** Attempts since the link was last up. */
  readonly attempts: number;
  /** Why it is not up; absent while it is. */
  readonly failure: AmiFailure | undefined;
  /** When the link was lost within the last hour, after it was up: at most the last 100 times, oldest first. */
  readonly lostAt: readonly number[];
  readonly counters: Readonly<AmiCounters>;
};

type Login = Pick<AmiLinkOptions, 'username' | 'secret'>;

/** After a link that was up this long, ms, failures are counted from zero again. */
const resetAfterMs = 10_000;
/** After a link that was up this long, ms, the bridge reconnects at once: it shows that attempts succeed. */
const provenMs = 1_000;
/** The most failures that count after a link that was up for less: a second until the next attempt. */
const mostFailuresOnceUp = 3;

/** Losses of the link that are remembered, and for how long. */
const MOST_LOSSES = 100;
const HOUR_MS = 3_600_000;

export type AmiLink = ReturnType<typeof createAmiLink>;

/**
 * The link to one Asterisk: it connects, and reconnects until it is stopped.
 * @throws UnsafeValueError for a user name or secret that has a line break or NUL in it.
 */
export function createAmiLink(options: AmiLinkOptions, tools: AmiLinkTools) {
  let login = safeLogin(options);
  const { clock, log } = tools;
  const { connectDeadlineMs = 5000, pingIntervalMs = 5000, pingDeadlineMs = 4000 } = options;
  const ping = { intervalMs: pingIntervalMs, deadlineMs: pingDeadlineMs };
  const counters = createCounters();
  const linkLog = createLinkLog(log, `${options.host}:${options.port}`);
  let stopper: AbortController | undefined;
  let consume: (input: Input) => void = () => {};
  /** Of the last connection; once that has ended, asking does nothing. */
  let ask: Questions | undefined;
  /** Ends the pause before the next attempt. */
  let wake = (): void => {};
  let lastEventAt: number | undefined;
  let status: Omit<AmiStatus, 'counters' | 'lastEventAt'> = {
    state: 'stopped',
    since: clock.now(),
    version: '',
    records: usualRecords,
    lastPongAt: undefined,
    attempts: 0,
    failure: undefined,
    lostAt: [],
  };

  /** `onInput` takes every input, in order; after each (re)connect a snapshot comes first. If it throws, only that input is lost. */
  function start(onInput: (input: Input) => void): void {
    if (stopper !== undefined) return;
    consume = onInput;
    stopper = new AbortController();
    void run(stopper.signal);
  }

  /** Ends the connection. No input follows; a second stop is harmless. */
  function stop(): void {
    stopper?.abort();
    stopper = undefined;
    enter('stopped');
  }

  async function run(signal: AbortSignal): Promise<void> {
    /** Attempts and short-lived connections in a row. */
    let failures = 0;
    /** Those of them that ended because no answer came. */
    let silences = 0;
    while (!signal.aborted) {
      enter('connecting', { attempts: status.attempts + 1 });
      const failure = await attempt(answerDeadline(options.answerDeadlineMs ?? 5000, silences), signal);
      if (signal.aborted) return;
      const upMs = status.state === 'up' ? clock.now() - status.since : undefined;
      if (upMs !== undefined && upMs >= resetAfterMs) failures = silences = 0;
      else if (upMs !== undefined && failure.kind === 'lost')
        failures = upMs >= provenMs ? 0 : Math.min(failures, mostFailuresOnceUp);
      if (isSilence(failure)) silences++;
      linkLog.down(clock.now(), failure);
      const lostAt = upMs === undefined ? status.lostAt : [...status.lostAt, clock.now()].slice(-MOST_LOSSES);
      enter('waiting', { failure, lostAt });
      await pause(reconnectDelay(failure, failures++, tools.random()), signal);
    }
  }

  async function attempt(answerDeadlineMs: number, signal: AbortSignal): Promise<AmiFailure> {
    /** Logs that the link is up; for a link that lacked its call events, not before one comes. */
    let logUp: (() => void) | undefined;
    try {
      return await runSession(
        { ...options, ...login, connectDeadlineMs, answerDeadlineMs, ping },
        { onOpen, onInput: take, onUp, onFacts, onLinkedid, onPong, onFrame: tools.onFrame },
        { clock, counters, log, signal },
      );
    } catch (error) {
      // A fault in this program: the link goes on with the next attempt.
      return { kind: 'lost', detail: String(error) };
    }

    function onOpen(session: Questions): void {
      ask = session;
    }

    function take(input: Input): void {
      if (signal.aborted) return;
      if (input.type !== 'snapshot') {
        lastEventAt = input.at;
        logUp?.();
      }
      try {
        consume(input);
      } catch (error) {
        counters.failed++;
        log.say('ami.input-failed', { input: input.type, error });
      }
    }

    function onUp({ channels, ...up }: PbxUp): void {
      const lackedEvents = status.failure?.kind === 'no-call-class';
      enter('up', { ...up, attempts: 0, failure: undefined });
      linkLog.version(up.version);
      logUp = () => {
        linkLog.up(status.since, up.version, channels);
        logUp = undefined;
      };
      if (!lackedEvents) logUp();
    }

    function onLinkedid(has: boolean): void {
      const { version, hasLinkedid } = status;
      // A PBX that has written one once goes on to: this event is not what Asterisk wrote.
      if (has === hasLinkedid || hasLinkedid) return;
      if (has && hasLinkedid === false) log.say('ami.linkedid');
      if (!has) log.say('ami.no-linkedid', { version: version || '?' });
      status = { ...status, hasLinkedid: has };
    }

    function onFacts(facts: PbxFacts): void {
      status = { ...status, ...facts };
      linkLog.version(facts.version);
    }

    function onPong(at: number): void {
      status = { ...status, lastPongAt: at };
    }
  }

  function enter(state: AmiStatus['state'], changes: Partial<typeof status> = {}): void {
    status = { ...status, state, since: clock.now(), ...changes };
  }

  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(done, ms);
      signal.addEventListener('abort', done);
      wake = done;

      function done(): void {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  return {
    start,
    stop,
    ask: {
      presentation: (uniqueid, channel) => ask?.presentation(uniqueid, channel),
      application: (question) => ask?.application(question),
      variable: (question) => ask?.variable(question),
      channels: () => ask?.channels(),
    } satisfies Questions,
    /** Uses this login from the next attempt on, which is made at once if the link is down. */
    changeLogin(next: Login) {
      login = safeLogin(next);
      wake();
    },
    status(): AmiStatus {
      const lostAt = status.lostAt.filter((at) => clock.now() - at < HOUR_MS);
      return { ...status, lostAt, lastEventAt, counters };
    },
  };
}

function safeLogin({ username, secret }: Login): Login {
  assertSafe({ Username: username, Secret: secret });
  return { username, secret };
}
