import type { Log } from '../../shared/log/log.ts';
import type { Clock } from '../../shared/process/clock.ts';
import type { Input } from '../calls/input.ts';
import { answerDeadline } from './backoff.ts';
import type { AmiFailure } from './failure.ts';
import { type AmiCounters, createCounters, createLinkLog } from './link-log.ts';
import {
  type AmiStatus,
  type LinkEffect,
  type LinkEvent,
  nextLink,
  statusOf,
  stoppedLink,
} from './link-state.ts';
import { pause } from './pause.ts';
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

type Login = Pick<AmiLinkOptions, 'username' | 'secret'>;

export type AmiLink = ReturnType<typeof createAmiLink>;

/**
 * The link to one Asterisk: it connects, and reconnects until it is stopped.
 * @throws UnsafeValueError for a user name or secret that has a line break or NUL in it.
 */
export function createAmiLink(options: AmiLinkOptions, tools: AmiLinkTools) {
  const { clock, log } = tools;
  let login = safeLogin(options);
  let stopper: AbortController | undefined;
  /** Of the last connection; once that has ended, asking does nothing. */
  let ask: Questions | undefined;
  let state = stoppedLink(clock.now());
  const counters = createCounters();
  /** Ends the pause before the next attempt. */
  let paused = new AbortController();
  const carryOut = createEffectLog(log, `${options.host}:${options.port}`);

  function apply(event: LinkEvent): void {
    const [next, ...effects] = nextLink(state, { ...event, now: clock.now() });
    state = next;
    for (const effect of effects) carryOut(effect);
  }

  async function run(consume: (input: Input) => void, signal: AbortSignal): Promise<void> {
    const settings = sessionSettings(options);
    const handOn = createInputHandler(consume, counters, log);
    const handlers = {
      onOpen(session: Questions) {
        ask = session;
      },
      onInput(input: Input): void {
        if (signal.aborted) return;
        if (input.type !== 'snapshot') apply({ type: 'input', at: input.at });
        handOn(input);
      },
      onUp: (up: PbxUp) => apply({ type: 'up', up }),
      onFacts: (facts: PbxFacts) => apply({ type: 'facts', facts }),
      onLinkedid: (has: boolean) => apply({ type: 'linkedid', has }),
      onPong: (at: number) => apply({ type: 'pong', at }),
      onFrame: tools.onFrame,
    };
    while (!signal.aborted) {
      apply({ type: 'attempt' });
      const answerDeadlineMs = answerDeadline(options.answerDeadlineMs ?? 5000, state.silences);
      const session = runSession({ ...settings, ...login, answerDeadlineMs }, handlers, {
        clock,
        counters,
        log,
        signal,
      });
      // A fault in this program: the link goes on with the next attempt.
      const failure = await session.catch((error): AmiFailure => ({ kind: 'lost', detail: String(error) }));
      if (signal.aborted) return;
      apply({ type: 'ended', failure, random: tools.random() });
      paused = new AbortController();
      await pause(state.delayMs, clock, paused.signal);
    }
  }

  return {
    /** `onInput` takes every input, in order; after each (re)connect a snapshot comes first. If it throws, only that input is lost. */
    start(onInput: (input: Input) => void): void {
      if (stopper !== undefined) return;
      stopper = new AbortController();
      void run(onInput, stopper.signal);
    },
    /** Ends the connection. No input follows; a second stop is harmless. */
    stop(): void {
      stopper?.abort();
      paused.abort();
      stopper = undefined;
      apply({ type: 'stopped' });
    },
    ask: {
      presentation: (uniqueid, channel) => ask?.presentation(uniqueid, channel),
      application: (question) => ask?.application(question),
      variable: (question) => ask?.variable(question),
      priority: (channel) => ask?.priority(channel),
      channels: () => ask?.channels(),
    } satisfies Questions,
    /** Uses this login from the next attempt on, which is made at once if the link is down. */
    changeLogin(next: Login) {
      login = safeLogin(next);
      paused.abort();
    },
    status: (): AmiStatus => statusOf(state, counters, clock.now()),
  };
}

/** An input whose consumer throws costs that input alone. */
function createInputHandler(consume: (input: Input) => void, counters: AmiCounters, log: Log) {
  return (input: Input): void => {
    try {
      consume(input);
    } catch (error) {
      counters.failed++;
      log.say('ami.input-failed', { input: input.type, error });
    }
  };
}

function sessionSettings(options: AmiLinkOptions) {
  const { connectDeadlineMs = 5000, pingIntervalMs = 5000, pingDeadlineMs = 4000 } = options;
  return { ...options, connectDeadlineMs, ping: { intervalMs: pingIntervalMs, deadlineMs: pingDeadlineMs } };
}

/** Logs what the link says. */
function createEffectLog(log: Log, address: string) {
  const linkLog = createLinkLog(log, address);
  return (effect: LinkEffect): void => {
    switch (effect.type) {
      case 'say-up':
        linkLog.up(effect.since, effect.version, effect.channels);
        break;
      case 'say-down':
        linkLog.down(effect.at, effect.failure);
        break;
      case 'say-version':
        linkLog.version(effect.version);
        break;
      case 'say-linkedid':
        if (effect.has) log.say('ami.linkedid');
        else log.say('ami.no-linkedid', { version: effect.version || '?' });
        break;
      default:
        effect satisfies never;
    }
  };
}

function safeLogin({ username, secret }: Login): Login {
  assertSafe({ Username: username, Secret: secret });
  return { username, secret };
}
