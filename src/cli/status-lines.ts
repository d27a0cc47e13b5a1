import { isTooOld, OLDEST_ASTERISK } from '../bridge/ami/asterisk-version.ts';
import { reasons } from '../bridge/calls/decisions.ts';
import type { BridgeStatus } from '../bridge/status/bridge-status.ts';
import { duration } from '../shared/delivery/report.ts';
import { ago, clockTime, count } from './text/format-text.ts';

type StatusLine = {
  readonly label: string;
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'plain';
};

/** Formats a status as lines for an operator, one per topic. Topics that do not apply are left out. */
export function statusLines(status: BridgeStatus): StatusLine[] {
  const { now, version, pbxId, startedAt } = status;
  const lines: (StatusLine | undefined)[] = [
    line('pbx-bridge', `${version}, as ${pbxId}, running for ${duration(now - startedAt)}`),
    pbx(status),
    ...pbxWarnings(status),
    lastEvent(status),
    calls(status),
    delivery(status),
    queue(status),
    history(status),
    disk(status),
    lookups(status),
    callBacks(status),
    otherScripts(status),
    log(status),
    ...alerts(status),
    ...status.reasons.map((reason) => line('not ready', reason, 'bad')),
  ];
  return lines.filter((it) => it !== undefined);
}

function line(label: string, text: string, tone: StatusLine['tone'] = 'plain'): StatusLine {
  return { label, text, tone };
}

/** `39 s, since 14:03:07` */
function span(since: number, now: number): string {
  return `${duration(now - since)}, since ${clockTime(since, now)}`;
}

function pbx({ pbx: it, now }: BridgeStatus): StatusLine {
  const address = `Asterisk ${it.version === '' ? '' : `${it.version} `}at ${it.address}`;
  // A bridge of 1.0.0 that still runs does not say it.
  const losses = it.lostAt?.length ?? 0;
  const lost = losses === 0 ? '' : `; LOST ${losses === 1 ? 'once' : `${losses} times`} within the last hour`;
  if (it.state === 'up') {
    const tone = losses >= FEW_LOSSES ? 'bad' : 'good';
    return line('PBX', `${address}, connected for ${span(it.since, now)}${lost}`, tone);
  }
  if (it.failure === undefined) return line('PBX', `connecting to Asterisk at ${it.address}`, 'bad');
  const attempt = `attempt ${it.attempts}`;
  return line('PBX', `not connected to Asterisk at ${it.address}: ${it.failure}; ${attempt}${lost}`, 'bad');
}

/** What Asterisk leaves out of its events, and an Asterisk that is too old. */
function pbxWarnings({ pbx: it, calls }: BridgeStatus): StatusLine[] {
  return [
    isTooOld(it.version) &&
      `Asterisk ${it.version} is not supported: the oldest version is ${OLDEST_ASTERISK}`,
    it.hasLinkedid === false && 'its events have no Linkedid: which channels belong to a call is unknown',
    calls.hasBridgeEvents === false &&
      'no BridgeEnter events: who talks with callers is read from the list of channels',
  ].flatMap((text) => (text === false ? [] : line('PBX', text, 'bad')));
}

function lastEvent({ pbx: it, now }: BridgeStatus): StatusLine {
  if (it.lastEventAt === undefined) return line('last event', 'none since the start');
  const forged = it.lineBreaks + it.events.bad;
  const refused = forged === 0 ? '' : `; ${count(forged, 'event')} with line breaks or wrong lines`;
  return line(
    'last event',
    `${ago(it.lastEventAt, now)}; ${count(it.events.used, 'call event')} since the start${refused}`,
  );
}

function calls({ calls: it }: BridgeStatus): StatusLine {
  const reported = `since the start: ${it.ringing} ringing, ${it.answered} answered, ${it.completed} completed`;
  const unreported = reasons
    .filter(([reason]) => it.decided[reason] > 0)
    .map(([reason, text]) => `; ${it.decided[reason]} not reported (${text})`);
  return line('calls', `${it.open} open; ${reported}${unreported.join('')}`);
}

/** Failed attempts in a row, and losses of the link within an hour, that are more than a hiccup. */
const FEW_FAILURES = 3;
const FEW_LOSSES = 3;

const stateTexts = {
  ok: 'ok',
  paused: 'PAUSED',
  held: 'ON HOLD',
  outage: 'OUTAGE',
} as const;

function delivery({ delivery: it, now }: BridgeStatus): StatusLine {
  const last = it.lastDeliveredAt === undefined ? 'none since the start' : ago(it.lastDeliveredAt, now);
  if (it.state === 'ok') {
    if (it.retrying === undefined) return line('delivery', `ok; last delivery ${last}`, 'good');
    const { since, reason, failures } = it.retrying;
    const what = `RETRYING for ${span(since, now)}: ${reason}; ${count(failures, 'attempt')} failed, none accepted since; last delivery ${last}`;
    // One lost answer or two mend themselves.
    return line('delivery', what, failures >= FEW_FAILURES ? 'bad' : 'plain');
  }
  const next = it.nextTryAt === undefined ? '' : `, next attempt in ${duration(it.nextTryAt - now)}`;
  const text = `${stateTexts[it.state]} for ${span(it.since, now)}: ${it.reason}${next}; last delivery ${last}`;
  return line('delivery', text, 'bad');
}

function queue({ outbox: it, now }: BridgeStatus): StatusLine {
  const oldest = it.oldestWaitingAt === undefined ? '' : `, oldest for ${duration(now - it.oldestWaitingAt)}`;
  const dead =
    it.dead === 0
      ? 'no dead letters'
      : `${count(it.dead, 'DEAD LETTER', 'DEAD LETTERS')} (pbx-bridge outbox list)`;
  const lost = it.lost === 0 ? '' : `; ${it.lost} lost to a damaged database`;
  const text = `${it.waiting} waiting${oldest}; ${dead}; ${it.delivered} delivered in total${lost}`;
  return line('queue', text, it.dead > 0 ? 'bad' : 'plain');
}

function history({ reconcile: it, now }: BridgeStatus): StatusLine | undefined {
  if (it === undefined) return undefined;
  const last = it.lastAt === undefined ? 'no comparison yet' : `last comparison ${ago(it.lastAt, now)}`;
  const lost = it.sentAgain + it.overtaken + it.gaveUp;
  const missing =
    lost === 0
      ? ''
      : `; ${count(it.sentAgain, 'event')} MISSING and sent again, ${it.overtaken} overtaken by a later state, ${it.gaveUp} given up`;
  if (it.state === 'ok')
    return line(
      'API history',
      `${last}; ${it.compared} events confirmed${missing}`,
      lost > 0 ? 'bad' : 'plain',
    );
  return line('API history', `NOT COMPARED: ${it.reason}; ${last}${missing}`, 'bad');
}

function disk({ outbox: { storage, uncommitted } }: BridgeStatus): StatusLine | undefined {
  if (storage.state === 'working') return undefined;
  const inMemory =
    uncommitted > 0
      ? `; ${count(uncommitted, 'event')} only in memory: do not restart the bridge before the disk works`
      : '';
  return line('disk', `${storage.state}: ${storage.error ?? 'new events are not stored'}${inMemory}`, 'bad');
}

function alerts({ alerts: { problems, over = [], unsent }, now }: BridgeStatus): StatusLine[] {
  return [
    ...problems.map(({ what, remedy, since }) =>
      line('problem', `${what}; for ${span(since, now)}. ${remedy}`, 'bad'),
    ),
    ...over.map(({ what, until }) => line('over', `for ${duration(now - until)}: ${what}`)),
    ...unsent.map(({ target, count: waiting, error }) =>
      line('alerts', `NOT SENT: ${count(waiting, 'alert')}, ${target}: ${error}`, 'bad'),
    ),
  ];
}

function log({ log: it, now }: BridgeStatus): StatusLine | undefined {
  if (it === undefined) return undefined;
  const missing = `${count(it.dropped, 'line')} dropped since the start`;
  if (it.blockedSince !== undefined)
    return line('log', `BLOCKED for ${span(it.blockedSince, now)}; ${missing}`, 'bad');
  return it.dropped === 0 ? undefined : line('log', missing);
}

function otherScripts({ lookups, now }: BridgeStatus): StatusLine | undefined {
  const it = lookups?.otherScripts;
  if (it === undefined) return undefined;
  const last = `last ${it.last}, ${ago(it.lastAt, now)}`;
  return line(
    'other AGI',
    `${count(it.count, 'request')} for scripts of another FastAGI server; ${last}`,
    'bad',
  );
}

const askedTexts = {
  begun: 'not asked yet',
  ok: '',
  failed: 'the service does NOT ANSWER; asked again in 30 s',
  unknown: 'the service does NOT KNOW CALL_BACKS; asked again within an hour',
} as const;

function callBacks({ callBacks: it }: BridgeStatus): StatusLine | undefined {
  if (it === undefined) return undefined;
  const counts = `${count(it.waiting, 'number')} waiting; ${count(it.reported, 'call')} reported since the start`;
  const text = [counts, askedTexts[it.state]].filter(Boolean).join('; ');
  return line('call backs', text, it.state === 'unknown' ? 'bad' : 'plain');
}

function lookups({ lookups: it }: BridgeStatus): StatusLine | undefined {
  if (it === undefined) return undefined;
  const all = it.found + it.notFound + it.timeout + it.error;
  const rate = all === 0 ? '' : `, ${Math.round((it.cached / all) * 100)} % answered from the cache`;
  const text = `${count(all, 'lookup')}${rate}: ${it.found} found, ${it.notFound} not found, ${it.timeout} timed out, ${it.error} failed`;
  return it.listening
    ? line('priorities', text)
    : line('priorities', `NOT LISTENING on AGI_LISTEN; ${text}`, 'bad');
}
