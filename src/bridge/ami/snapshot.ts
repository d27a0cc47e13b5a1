import type { Snapshot } from '../calls/input.ts';
import type { Connection } from './connection.ts';
import { toSnapshotBridge, toSnapshotChannel } from './events.ts';
import { ConnectionEnded } from './pending-requests.ts';

/**
 * Reads all channels and bridges of the PBX. CoreShowChannels needs write class `reporting`. BridgeList, which gives the
 * bridges' technology, needs none; if it is refused or not answered, the technologies stay unknown.
 * @throws ConnectionEnded when the connection ends meanwhile, as it does when the channels are refused.
 */
export async function readSnapshot(connection: Connection, now: () => number): Promise<Snapshot> {
  const [channels, bridges] = await Promise.all([
    connection.list(
      {
        action: { action: 'CoreShowChannels' },
        item: 'CoreShowChannel',
        last: 'CoreShowChannelsComplete',
        read: toSnapshotChannel,
      },
      { needed: true },
    ),
    connection.list({
      action: { action: 'BridgeList' },
      item: 'BridgeListItem',
      last: 'BridgeListComplete',
      read: toSnapshotBridge,
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
