import type { Snapshot } from '../calls/input.ts';
import type { Connection } from './connection.ts';
import { toSnapshotBridge, toSnapshotChannel } from './events.ts';
import { ConnectionEnded } from './pending-requests.ts';

/**
 * Asks what is on the PBX now. CoreShowChannels needs write class `reporting`; BridgeList, which gives the
 * bridges' technology, needs none, and where it is refused all the same the technologies stay unknown.
 * @throws ConnectionEnded when the connection ends meanwhile, as it does when the channels are refused.
 */
export async function readSnapshot(connection: Connection, now: () => number): Promise<Snapshot> {
  const [channels, bridges] = await Promise.all([
    connection.list({
      action: { action: 'CoreShowChannels' },
      ...{ item: 'CoreShowChannel', last: 'CoreShowChannelsComplete', read: toSnapshotChannel },
    }),
    connection.list({
      action: { action: 'BridgeList' },
      ...{ item: 'BridgeListItem', last: 'BridgeListComplete', read: toSnapshotBridge },
    }),
  ]);
  if (!channels.ok) {
    const failure = { kind: 'no-reporting-class', detail: channels.message } as const;
    connection.fail(failure);
    throw new ConnectionEnded(failure);
  }
  return {
    type: 'snapshot',
    at: now(),
    channels: channels.items,
    bridges: bridges.ok ? bridges.items : [],
  };
}
