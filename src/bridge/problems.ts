import { X509Certificate } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { TLSSocket } from 'node:tls';
import { certificateProblem } from '../shared/alerts/machine-problems.ts';
import { type Problem, type ProblemKey, problem } from '../shared/alerts/problem.ts';
import type { ApiResult } from '../shared/api/result.ts';
import { duration } from '../shared/delivery/report.ts';
import type { AmiFailure } from './ami/failure.ts';
import { failureCodes } from './ami/link-log.ts';
import type { DamagedFile } from './outbox/recovery/damaged-file.ts';
import type { BridgeState } from './status/bridge-status.ts';

const certificates = [
  ['pbx', 'the certificate of Asterisk'],
  ['api', 'the certificate of the API'],
  ['own', 'API_CLIENT_CERT'],
] as const;

/** What `bridgeProblems` needs besides the bridge's status. Times are Unix ms. */
export type Facts = {
  readonly stateDir: string;
  /** When the problems were looked at before; 0 at first. */
  readonly lookedAt: number;
  /** Of the link to Asterisk. */
  readonly failure: AmiFailure['kind'] | undefined;
  /** Of call records that cannot be read. */
  readonly records: { readonly source: string; readonly error: string; readonly since: number } | undefined;
  /** The API's clock minus ours, ms. */
  readonly clockAheadMs: number | undefined;
  readonly certificates: Readonly<Record<(typeof certificates)[number][0], number | undefined>>;
  /** How long an event may wait while others are delivered, ms. */
  readonly backlogMs: number;
};

const clockOffMs = 60_000;
/** A commit takes milliseconds; on a slow disk, a second. */
const longestCommitMs = 10_000;
/** How long no other script must be asked for until the problem is over: at night there may be few calls. */
const otherScriptMs = 3_600_000;

/** The present problems of a bridge, for operators. */
export function bridgeProblems(
  status: BridgeState,
  facts: Facts,
): { problems: Problem[]; unknown: ProblemKey[] } {
  return {
    problems: [
      ...linkProblem(status, facts),
      ...eventProblems(status),
      ...deliveryProblems(status, facts),
      ...storageProblem(status, facts),
      ...(facts.records ? [problem('records', 'cdr.unreadable', facts.records, facts.records)] : []),
      ...clockProblem(facts.clockAheadMs),
      ...otherScriptProblem(status),
      ...certificates.flatMap(([name, what]) =>
        certificateProblem(`certificate-${name}`, what, facts.certificates[name], status.now),
      ),
    ],
    unknown: [
      // The first attempt to connect is not over.
      ...(status.pbx.state !== 'up' && facts.failure === undefined ? (['link'] as const) : []),
      // After a restart this shows with the next call.
      ...(status.pbx.hasLinkedid === undefined ? (['linkedid'] as const) : []),
      ...(status.calls.hasBridgeEvents === undefined ? (['bridge-events'] as const) : []),
      // After a restart the API may still refuse the token, until an event is delivered.
      ...(status.delivery.lastDeliveredAt === undefined ? (['delivery'] as const) : []),
      ...(facts.clockAheadMs === undefined ? (['clock'] as const) : []),
      ...certificates.flatMap(([name]): ProblemKey[] =>
        Number.isNaN(facts.certificates[name] ?? Number.NaN) ? [`certificate-${name}`] : [],
      ),
    ],
  };
}

function linkProblem({ pbx }: BridgeState, { failure, lookedAt }: Facts): Problem[] {
  const { address, failure: reason } = pbx;
  // A PBX that restarts again and again is back before anybody looks: each loss counts.
  const wasLost = pbx.lostAt.some((at) => at > lookedAt);
  if (pbx.state === 'up' && wasLost)
    return [problem('link', 'ami.lost', { address, reason: 'it is back since' })];
  if (pbx.state === 'up' || failure === undefined) return [];
  return [problem('link', failureCodes[failure], { address, reason })];
}

/** What Asterisk leaves out of its events. */
function eventProblems({ pbx, calls }: BridgeState): Problem[] {
  const version = pbx.version || '?';
  return [
    ...(pbx.hasLinkedid === false ? [problem('linkedid', 'ami.no-linkedid', { version })] : []),
    ...(calls.hasBridgeEvents === false ? [problem('bridge-events', 'ami.no-bridge-events', {})] : []),
  ];
}

function deliveryProblems({ delivery, outbox, now }: BridgeState, { backlogMs }: Facts): Problem[] {
  const { waiting, dead, oldestWaitingAt = now } = outbox;
  const { state, reason, since } = delivery;
  const wait = duration(Math.max((delivery.nextTryAt ?? now) - now, 0));
  const stopped =
    state === 'ok' ? [] : [problem('delivery', `delivery.${state}`, { reason, waiting, wait }, { since })];
  const { retrying } = delivery;
  const failing =
    retrying !== undefined && waiting > 0
      ? [problem('delivery', 'problem.nothing-accepted', { ...retrying, waiting }, { since: retrying.since })]
      : [];
  // The end of an outage restarts the limit: the backlog needs time to be delivered.
  const waitsSince = Math.max(oldestWaitingAt, since);
  const backlog =
    state === 'ok' && retrying === undefined && waiting > 0 && now - waitsSince > backlogMs
      ? [problem('backlog', 'problem.backlog', { count: waiting }, { since: waitsSince })]
      : [];
  const deadLetters =
    dead > 0
      ? [problem('dead-letters', 'problem.dead-letters', { count: dead }, { atOnce: true, amount: dead })]
      : [];
  return [...stopped, ...failing, ...backlog, ...deadLetters];
}

function storageProblem({ outbox, now }: BridgeState, { stateDir: directory }: Facts): Problem[] {
  const { storage, uncommittedSince } = outbox;
  if (storage.state !== 'working')
    return [problem('storage', `outbox.${storage.state}`, { directory, error: storage.error ?? '' })];
  return uncommittedSince !== undefined && now - uncommittedSince > longestCommitMs
    ? [problem('storage', 'problem.not-storing', { directory }, { since: uncommittedSince })]
    : [];
}

/** A damaged database that was set aside, and events that were lost with it: until an operator has deleted its file. */
export function damagedProblem(
  directory: string,
  { at, path }: DamagedFile,
  { lost }: BridgeState['outbox'],
): Problem {
  const damaged = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return problem(
    'damaged-outbox',
    'problem.damaged-outbox',
    { directory, at: damaged, file: path, lost },
    { since: at, atOnce: true },
  );
}

function clockProblem(aheadMs = 0): Problem[] {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return Math.abs(aheadMs) > clockOffMs ? [problem('clock', 'problem.clock', { seconds })] : [];
}

function otherScriptProblem({ lookups, now }: BridgeState): Problem[] {
  const { last: script = '', lastAt = Number.NEGATIVE_INFINITY } = lookups?.otherScripts ?? {};
  return now - lastAt < otherScriptMs
    ? [problem('other-script', 'problem.other-agi-script', { script }, { since: lastAt, atOnce: true })]
    : [];
}

/** Reads the API's clock and certificate from the requests that the bridge sends anyway. */
export function watchApi(baseUrl: string, now: () => number) {
  const { hostname } = new URL(baseUrl);
  let clockAheadMs: number | undefined;
  let certificateEndsAt: number | undefined;
  const onConnected = (message: unknown) => {
    const { connectParams, socket } = message as { connectParams: { hostname: string }; socket: unknown };
    if (connectParams.hostname === hostname && socket instanceof TLSSocket)
      // A connection that is closed already has no certificate.
      certificateEndsAt = Date.parse(socket.getPeerCertificate()?.valid_to);
  };
  return {
    start: () => subscribe('undici:client:connected', onConnected),
    stop: () => void unsubscribe('undici:client:connected', onConnected),
    answered(result: ApiResult) {
      const date = result.kind === 'answer' ? Date.parse(result.date ?? '') : Number.NaN;
      if (!Number.isNaN(date)) clockAheadMs = date - now();
    },
    clockAheadMs: () => clockAheadMs,
    certificateEndsAt: () => certificateEndsAt,
  };
}

/** When a certificate (PEM) expires, Unix ms. */
export const expiryOf = (pem: string | undefined) =>
  pem === undefined ? undefined : new X509Certificate(pem).validToDate.getTime();
