import type { Snapshot } from '../calls/input.ts';
import type { Connection } from './connection.ts';
import { toSnapshotBridge, toSnapshotChannel } from './events.ts';
import { ConnectionEnded } from './pledges.ts';

/**
 * Asks what is on the PBX now. CoreShowChannels needs write class `reporting`; BridgeList, which gives the
 * bridges' technology, needs none, and where it is refused all the same the technologies stay unknown.
 * @throws ConnectionEnded when the connection ends meanwhile, as it does when the channels are refused.
 */
export async function readSnapshot(connection: Connection, now: () => number): Promise<Snapshot> {
  const [channels, bridges] = await Promise.all([
    connection.list({ action: 'CoreShowChannels' }, 'CoreShowChannelsComplete'),
    connection.list({ action: 'BridgeList' }, 'BridgeListComplete'),
  ]);
  if (!channels.ok) {
    const failure = { kind: 'no-reporting-class', detail: channels.message } as const;
    connection.fail(failure);
    throw new ConnectionEnded(failure);
  }
  return {
    type: 'snapshot',
    at: now(),
    channels: channels.items.map(toSnapshotChannel).filter((channel) => channel !== undefined),
    bridges: bridges.ok ? bridges.items.map(toSnapshotBridge).filter((bridge) => bridge !== undefined) : [],
  };
}
