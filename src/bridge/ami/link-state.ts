import { type RecordOptions, usualRecords } from '../cdr/cdr-source.ts';
import { reconnectDelay } from './backoff.ts';
import { type AmiFailure, isSilence } from './failure.ts';
import type { AmiCounters } from './link-log.ts';
import type { PbxFacts } from './pbx-facts.ts';
import type { PbxUp } from './session.ts';

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

/** After a link that was up this long, ms, failures are counted from zero again. */
const RESET_AFTER_MS = 10_000;
/** After a link that was up this long, ms, the bridge reconnects at once: it shows that attempts succeed. */
const PROVEN_MS = 1_000;
/** The most failures that count after a link that was up for less: a second until the next attempt. */
const MOST_FAILURES_ONCE_UP = 3;

/** Losses of the link that are remembered, and for how long. */
const MOST_LOSSES = 100;
const HOUR_MS = 3_600_000;

/** What a link knows between its connections. Times are Unix ms. */
export type LinkState = {
  readonly status: Omit<AmiStatus, 'counters' | 'lastEventAt'>;
  readonly lastEventAt: number | undefined;
  /** Attempts and short-lived connections in a row. */
  readonly failures: number;
  /** Those of them that ended because no answer came. */
  readonly silences: number;
  /** How long to wait before the next attempt. */
  readonly delayMs: number;
  /**
   * Set while the link is up and the log does not say so, since it lacked its call events before: the number of channels
   * to log once one comes.
   */
  readonly unsaidChannels: number | undefined;
};

export type LinkEvent =
  | { readonly type: 'attempt' | 'stopped' }
  | { readonly type: 'up'; readonly up: PbxUp }
  | { readonly type: 'facts'; readonly facts: PbxFacts }
  /** Whether a Newchannel event says which call it belongs to. */
  | { readonly type: 'linkedid'; readonly has: boolean }
  /** An input other than a snapshot. */
  | { readonly type: 'input' | 'pong'; readonly at: number }
  /** An attempt or connection has ended; `random`: from 0 up to, not including, 1. */
  | { readonly type: 'ended'; readonly failure: AmiFailure; readonly random: number };

export type LinkEffect =
  | {
      readonly type: 'say-up';
      readonly since: number;
      readonly version: string;
      readonly channels: number;
    }
  | { readonly type: 'say-down'; readonly at: number; readonly failure: AmiFailure }
  | { readonly type: 'say-version'; readonly version: string }
  | { readonly type: 'say-linkedid'; readonly has: boolean; readonly version: string };

type Step = readonly [LinkState, ...LinkEffect[]];

export function stoppedLink(now: number): LinkState {
  return {
    status: {
      state: 'stopped',
      since: now,
      version: '',
      records: usualRecords,
      lastPongAt: undefined,
      attempts: 0,
      failure: undefined,
      lostAt: [],
    },
    lastEventAt: undefined,
    failures: 0,
    silences: 0,
    delayMs: 0,
    unsaidChannels: undefined,
  };
}

export function nextLink(link: LinkState, event: LinkEvent & { readonly now: number }): Step {
  const { status } = link;
  const { now } = event;
  switch (event.type) {
    case 'attempt':
      return [enter(link, 'connecting', now, { attempts: status.attempts + 1 })];
    case 'stopped':
      return [{ ...enter(link, 'stopped', now), failures: 0, silences: 0 }];
    case 'up':
      return comeUp(link, event.up, now);
    case 'input':
      return sayUp({ ...link, lastEventAt: event.at });
    case 'ended':
      return end(link, event.failure, event.random, now);
    case 'facts': {
      const { facts } = event;
      const next = { ...link, status: { ...status, ...facts } };
      return [next, { type: 'say-version', version: facts.version }];
    }
    case 'linkedid':
      return learnLinkedid(link, event.has);
    case 'pong':
      return [{ ...link, status: { ...status, lastPongAt: event.at } }];
  }
}

export function statusOf({ status, lastEventAt }: LinkState, counters: AmiCounters, now: number): AmiStatus {
  const lostAt = status.lostAt.filter((at) => now - at < HOUR_MS);
  return { ...status, lostAt, lastEventAt, counters };
}

function enter(
  link: LinkState,
  state: AmiStatus['state'],
  since: number,
  changes: Partial<LinkState['status']> = {},
): LinkState {
  return { ...link, status: { ...link.status, state, since, ...changes }, unsaidChannels: undefined };
}

function comeUp(link: LinkState, { channels, ...up }: PbxUp, now: number): Step {
  const { failure } = link.status;
  const next = {
    ...enter(link, 'up', now, { ...up, attempts: 0, failure: undefined }),
    unsaidChannels: channels,
  };
  const version: LinkEffect = { type: 'say-version', version: up.version };
  if (failure?.kind === 'no-call-class') return [next, version];
  const [said, ...effects] = sayUp(next);
  return [said, version, ...effects];
}

function sayUp(link: LinkState): Step {
  const { unsaidChannels: channels, status } = link;
  if (channels === undefined) return [link];
  const { since, version } = status;
  return [
    { ...link, unsaidChannels: undefined },
    { type: 'say-up', since, version, channels },
  ];
}

function learnLinkedid(link: LinkState, has: boolean): Step {
  const { version, hasLinkedid } = link.status;
  // A PBX that has written one once goes on to: this event is not what Asterisk wrote.
  if (has === hasLinkedid || hasLinkedid) return [link];
  const next = { ...link, status: { ...link.status, hasLinkedid: has } };
  // That Linkedids come is worth a line only after the line that they are missing.
  return has && hasLinkedid === undefined ? [next] : [next, { type: 'say-linkedid', has, version }];
}

function end(link: LinkState, failure: AmiFailure, random: number, now: number): Step {
  const { status } = link;
  const upMs = status.state === 'up' ? now - status.since : undefined;
  const { failures, silences } = countsAfter(link, failure, upMs);
  const lostAt = upMs === undefined ? status.lostAt : [...status.lostAt, now].slice(-MOST_LOSSES);
  const next: LinkState = {
    ...enter(link, 'waiting', now, { failure, lostAt }),
    failures: failures + 1,
    silences: isSilence(failure) ? silences + 1 : silences,
    delayMs: reconnectDelay(failure, failures, random),
  };
  return [next, { type: 'say-down', at: now, failure }];
}

/** The failures and silences that count, before this one. */
function countsAfter(
  { failures, silences }: LinkState,
  failure: AmiFailure,
  upMs: number | undefined,
): Pick<LinkState, 'failures' | 'silences'> {
  if (upMs === undefined) return { failures, silences };
  if (upMs >= RESET_AFTER_MS) return { failures: 0, silences: 0 };
  if (failure.kind !== 'lost') return { failures, silences };
  return { failures: upMs >= PROVEN_MS ? 0 : Math.min(failures, MOST_FAILURES_ONCE_UP), silences };
}
