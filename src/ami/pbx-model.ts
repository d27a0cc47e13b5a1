import { frameFields } from './frame.ts';

/** What a played PBX would answer to CoreShowChannels and BridgeList, kept up with from its own events. */
export type PbxModel = {
  /** Takes an event's frame, a row of a recording's first line, or a Status that will be asked for. */
  apply(frame: Buffer): void;
  /** The rows of CoreShowChannel, without Event and ActionID; one character for each byte. */
  channels(): Fields[];
  /** What Status with CALLERID(num-pres) tells of a channel's caller, such as `allowed_not_screened`. */
  presentation(channel: string): string;
  /** The rows of BridgeListItem, likewise. */
  bridges(): Fields[];
};

export type Fields = ReadonlyMap<string, string>;

/** What CoreShowChannel says of a channel, in Asterisk's order, and what it says when nothing is known. */
const channelRow: readonly (readonly [key: string, unknown: string])[] = [
  ['Channel', ''],
  ['ChannelState', '0'],
  ['ChannelStateDesc', 'Down'],
  ['CallerIDNum', '<unknown>'],
  ['CallerIDName', '<unknown>'],
  ['ConnectedLineNum', '<unknown>'],
  ['ConnectedLineName', '<unknown>'],
  ['Language', 'en'],
  ['AccountCode', ''],
  ['Context', ''],
  ['Exten', ''],
  ['Priority', '1'],
  ['Uniqueid', ''],
  ['Linkedid', ''],
  ['Application', ''],
  ['ApplicationData', ''],
  ['Duration', '00:00:00'],
  ['BridgeId', ''],
];

const bridgeRow: readonly (readonly [key: string, unknown: string])[] = [
  ['BridgeUniqueid', ''],
  ['BridgeType', 'basic'],
  ['BridgeTechnology', 'simple_bridge'],
  ['BridgeCreator', '<unknown>'],
  ['BridgeName', '<unknown>'],
  ['BridgeNumChannels', '0'],
  ['BridgeVideoSourceMode', 'none'],
];

export function createPbxModel(): PbxModel {
  const channels = new Map<string, Map<string, string>>();
  const bridges = new Map<string, Map<string, string>>();
  /** By Uniqueid, of recorded answers to Status. */
  const presentations = new Map<string, string>();

  function apply(frame: Buffer): void {
    const fields = frameFields(frame);
    const uniqueid = fields.get('Uniqueid') ?? '';
    const bridge = fields.get('BridgeUniqueid') ?? '';
    switch (fields.get('Event')) {
      case 'Newchannel':
      case 'CoreShowChannel':
        channels.set(uniqueid, new Map());
        break;
      case 'Status':
        presentations.set(uniqueid, (fields.get('Variable') ?? '').split('=')[1] ?? '');
        return;
      case 'Hangup':
        channels.delete(uniqueid);
        presentations.delete(uniqueid);
        return;
      case 'BridgeListItem':
      case 'BridgeCreate':
      case 'BridgeEnter':
        update(bridges, bridge, bridgeRow, fields);
        break;
      case 'BridgeDestroy':
        bridges.delete(bridge);
        return;
    }
    if (!channels.has(uniqueid)) return;
    update(channels, uniqueid, channelRow, fields);
    switch (fields.get('Event')) {
      case 'Rename':
        channels.get(uniqueid)?.set('Channel', fields.get('Newname') ?? '');
        break;
      case 'Newexten':
        channels.get(uniqueid)?.set('ApplicationData', fields.get('AppData') ?? '');
        break;
      case 'BridgeEnter':
        channels.get(uniqueid)?.set('BridgeId', bridge);
        break;
      case 'BridgeLeave':
        channels.get(uniqueid)?.set('BridgeId', '');
        break;
    }
  }

  return {
    apply,
    presentation: (channel) =>
      presentations.get([...channels].find(([, fields]) => fields.get('Channel') === channel)?.[0] ?? '') ??
      'allowed_not_screened',
    channels: () => [...channels.values()].map((fields) => row(channelRow, fields)),
    bridges: () => [...bridges.values()].map((fields) => row(bridgeRow, fields)),
  };
}

type Row = readonly (readonly [key: string, unknown: string])[];

/** Notes what the event says of the columns of a row. */
function update(rows: Map<string, Map<string, string>>, id: string, columns: Row, said: Fields): void {
  const fields = rows.get(id) ?? new Map<string, string>();
  for (const [key] of columns) {
    const value = said.get(key);
    if (value !== undefined) fields.set(key, value);
  }
  rows.set(id, fields);
}

function row(columns: Row, fields: Fields): Fields {
  return new Map(columns.map(([key, unknown]) => [key, fields.get(key) ?? unknown]));
}
