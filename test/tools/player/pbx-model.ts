import { allFields } from '../../../src/bridge/ami/wire/frame.ts';

/** What a played PBX would answer to CoreShowChannels and BridgeList, kept up with from its own events. */
type PbxModel = {
  /** Takes an event's frame, a row of a recording's first line, or a Status that will be asked for. */
  apply(frame: Buffer): void;
  /** The rows of CoreShowChannel, without Event and ActionID; one character for each byte. */
  channels(): Fields[];
  /**
   * The row of Status of the channel with this name. An answer that was recorded is given even when the channel
   * is gone: a recording played at full speed is over before anybody can ask.
   */
  status(channel: string): Fields | undefined;
  /** Whether a recorded answer to Status still waits to be asked for. */
  isUnasked(channel: string): boolean;
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

/** A caller of whom nothing was recorded lets the number be shown. */
const shownVariable = ['Variable', 'CALLERID(num-pres)=allowed_not_screened'] as const;
/** A player may go on for weeks. */
const maxAnswers = 1000;

export function createPbxModel(): PbxModel {
  const channels = new Map<string, Map<string, string>>();
  const bridges = new Map<string, Map<string, string>>();
  /** The Uniqueid of each channel by its name. */
  const names = new Map<string, string>();
  /** Recorded answers to Status, by the channel's name, oldest first. */
  const answers = new Map<string, Fields>();
  const unasked = new Set<string>();

  function apply(frame: Buffer): void {
    const fields = allFields(frame);
    const uniqueid = fields.get('Uniqueid') ?? '';
    const bridge = fields.get('BridgeUniqueid') ?? '';
    switch (fields.get('Event')) {
      case 'Newchannel':
      case 'CoreShowChannel':
        channels.set(uniqueid, new Map());
        break;
      case 'Status':
        answer(fields, frame);
        return;
      case 'Hangup':
        names.delete(channels.get(uniqueid)?.get('Channel') ?? '');
        channels.delete(uniqueid);
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
    names.set(fields.get('Channel') ?? '', uniqueid);
    switch (fields.get('Event')) {
      case 'Rename':
        names.delete(fields.get('Channel') ?? '');
        names.set(fields.get('Newname') ?? '', uniqueid);
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

  function answer(fields: Map<string, string>, frame: Buffer): void {
    // The one key that an event repeats.
    const variables = [...frame.toString('latin1').matchAll(/^Variable: (.*?)\r?$/gm)].map(
      ([, value]) => value,
    );
    if (variables.length > 0) fields.set('Variable', variables.join('\r\nVariable: '));
    const name = fields.get('Channel') ?? '';
    fields.delete('Event');
    fields.delete('ActionID');
    answers.set(name, fields);
    unasked.add(name);
    if (answers.size <= maxAnswers) return;
    const [oldest = ''] = answers.keys();
    answers.delete(oldest);
    unasked.delete(oldest);
  }

  function status(channel: string): Fields | undefined {
    unasked.delete(channel);
    const live = channels.get(names.get(channel) ?? '');
    return answers.get(channel) ?? (live && row([...channelRow, shownVariable], live));
  }

  return {
    apply,
    status,
    isUnasked: (channel) => unasked.has(channel),
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
