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
    lastEvent(status),
    calls(status),
    delivery(status),
    queue(status),
    history(status),
    disk(status),
    lookups(status),
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
  if (it.state === 'up') return line('PBX', `${address}, connected for ${span(it.since, now)}`, 'good');
  const why = it.failure ?? 'first connection attempt';
  return line('PBX', `not connected to Asterisk at ${it.address}: ${why}; attempt ${it.attempts}`, 'bad');
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

const stateTexts = {
  ok: 'ok',
  paused: 'PAUSED',
  held: 'ON HOLD',
  outage: 'OUTAGE',
} as const;

function delivery({ delivery: it, now }: BridgeStatus): StatusLine {
  const last = it.lastDeliveredAt === undefined ? 'none since the start' : ago(it.lastDeliveredAt, now);
  if (it.state === 'ok') return line('delivery', `ok; last delivery ${last}`, 'good');
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

function disk({ outbox: { storage } }: BridgeStatus): StatusLine | undefined {
  if (storage.state === 'working') return undefined;
  return line('disk', `${storage.state}: ${storage.error ?? 'new events are not stored'}`, 'bad');
}

function alerts({ alerts: { problems, unsent }, now }: BridgeStatus): StatusLine[] {
  return [
    ...problems.map(({ what, since }) => line('problem', `${what}; for ${span(since, now)}`, 'bad')),
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

function lookups({ lookups: it }: BridgeStatus): StatusLine | undefined {
  if (it === undefined) return undefined;
  const all = it.found + it.notFound + it.timeout + it.error;
  const rate = all === 0 ? '' : `, ${Math.round((it.cached / all) * 100)} % answered from the cache`;
  const text = `${count(all, 'lookup')}${rate}: ${it.found} found, ${it.notFound} not found, ${it.timeout} timed out, ${it.error} failed`;
  return it.listening
    ? line('priorities', text)
    : line('priorities', `NOT LISTENING on AGI_LISTEN; ${text}`, 'bad');
}
