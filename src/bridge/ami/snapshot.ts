import { valueWithin } from '../../shared/process/within.ts';
import type { Snapshot } from '../calls/input.ts';
import { firstLine } from '../calls/line-break.ts';
import type { Connection } from './connection.ts';
import { toSnapshotBridge, toSnapshotChannel } from './events.ts';
import { ConnectionEnded } from './pending-requests.ts';
import { type Fields, fieldKey } from './wire/frame.ts';

/** How long the bridges are waited for when the channels are known, ms: events are held back until then. */
const BRIDGES_WAIT_MS = 1_000;

/**
 * Reads all channels and bridges of the PBX. CoreShowChannels needs write class `reporting`. BridgeList, which gives the
 * bridges' technology, needs none; if it is refused or not answered, the technologies stay unknown.
 * @throws ConnectionEnded when the connection ends meanwhile, as it does when the channels are refused.
 */
export async function readSnapshot(
  connection: Connection,
  now: () => number,
): Promise<Snapshot & { readonly isPartial: boolean }> {
  const reading = connection.list({
    action: { action: 'BridgeList' },
    item: 'BridgeListItem',
    last: 'BridgeListComplete',
    read: toSnapshotBridge,
  });
  // If it is needed no more, why the connection ends is said elsewhere.
  reading.catch(() => {});
  const { items: channels, isPartial } = await readChannels(connection);
  const bridges = await valueWithin(BRIDGES_WAIT_MS, reading);
  return { type: 'snapshot', at: now(), channels, bridges: bridges?.ok ? bridges.items : [], isPartial };
}

/**
 * Reads all channels of the PBX.
 * @throws ConnectionEnded when the connection ends meanwhile, as it does when they are refused.
 */
export async function readChannels(connection: Connection) {
  const list = await connection.list(
    {
      action: { action: 'CoreShowChannels' },
      item: 'CoreShowChannel',
      last: 'CoreShowChannelsComplete',
      read: toSnapshotChannel,
    },
    { needed: true },
  );
  if (list.ok) return list;
  const failure = { kind: 'no-reporting-class', detail: list.message } as const;
  connection.fail(failure);
  throw new ConnectionEnded(failure);
}

/** The dialplan function that reads the configuration of an endpoint, by its technology. */
const functions: Readonly<Record<string, string>> = {
  PJSIP: 'PJSIP_ENDPOINT',
  SIP: 'SIPPEER',
  IAX2: 'IAXPEER',
};

/** Requests in flight at a time: Asterisk answers about 18,000 a second. */
const maxInFlight = 500;

/**
 * The context in which calls of each of these devices begin, by the PBX's configuration. Devices are named as
 * `PJSIP/provider`; those of DAHDI are left out, since no dialplan function reads their configuration. Getvar needs write
 * class `reporting`; if it is refused, the list is empty.
 * @throws ConnectionEnded when the connection ends meanwhile.
 * @see https://docs.asterisk.org/Latest_API/API_Documentation/Dialplan_Functions/PJSIP_ENDPOINT/
 */
export async function readContexts(
  connection: Connection,
  devices: readonly string[],
): Promise<[endpoint: string, context: string][]> {
  const endpoints = devices.filter((device) => configurationOf(device, '') !== undefined);
  const found: [string, string][] = [];
  for (let i = 0; i < endpoints.length; i += maxInFlight) {
    const part = endpoints.slice(i, i + maxInFlight);
    const contexts = await Promise.all(part.map((endpoint) => readOption(connection, endpoint, 'context')));
    for (const [n, context] of contexts.entries())
      if (context !== '') found.push([part[n] as string, context]);
  }
  return found;
}

/**
 * Phones, trunks and everything else that has a device state, and chan_sip's peers, which have none while they have not
 * registered; empty if both lists are refused. From Asterisk 21 on there is no chan_sip.
 */
export async function readDevices(connection: Connection): Promise<string[]> {
  const [device, peer] = [fieldKey('Device'), fieldKey('ObjectName')];
  const lists = await Promise.all([
    connection.list({
      action: { action: 'DeviceStateList' },
      item: 'DeviceStateChange',
      last: 'DeviceStateListComplete',
      read: (fields: Fields) => fields(device) || undefined,
    }),
    connection.list({
      action: { action: 'SIPpeers' },
      item: 'PeerEntry',
      last: 'PeerlistComplete',
      read: (fields: Fields) => (fields(peer) ? `SIP/${fields(peer)}` : undefined),
    }),
  ]);
  return [...new Set(lists.flatMap((list) => (list.ok ? list.items : [])))].sort();
}

/** An option in the configuration of an endpoint; '' if it is not set or cannot be read. */
export async function readOption(connection: Connection, endpoint: string, option: string): Promise<string> {
  const variable = configurationOf(endpoint, option);
  return variable === undefined ? '' : readVariable(connection, variable);
}

/** The value of a channel's variable, or of a dialplan function that needs no channel; '' if it cannot be read. */
export async function readVariable(
  connection: Connection,
  variable: string,
  channel?: string,
): Promise<string> {
  const of = channel === undefined ? {} : { channel };
  const { response, fields } = await connection.request({ action: 'Getvar', variable, ...of });
  return response === 'Success' ? firstLine(fields.get('Value') ?? '') : '';
}

function configurationOf(endpoint: string, option: string): string | undefined {
  const [, technology = '', name = ''] = /^(\w+)\/([\w.@+-]+)$/.exec(endpoint) ?? [];
  const read = Object.hasOwn(functions, technology) ? functions[technology] : undefined;
  return read && `${read}(${name},${option})`;
}
