/** One line of an event: a key and what Asterisk writes behind it. */
export type LineLayout = {
  readonly key: string;
  /** True if some versions or events leave it out. */
  readonly optional?: true;
  /**
   * The longest value, in bytes, of a key whose value Asterisk writes as it is, line breaks included. Absent: the value
   * has none, since Asterisk makes or escapes it.
   */
  readonly raw?: number;
};

/** The lines of an event in the order in which Asterisk writes them. Lines with other keys may stand between them. */
export type Layout = readonly LineLayout[];

/** An extension: AST_MAX_EXTENSION without its NUL. Asterisk cuts longer ones, from any source. */
export const extension = 79;
/** PJSIP cuts caller numbers after 79 bytes, IAX2 and chan_sip after 255. */
export const longestText = 255;
/** Longer than each of the keys. */
export const longestKey = 40;
/** Arguments of an application; as long as Asterisk's own buffers. */
const argumentText = 1024;

const line = (key: string, more: Omit<LineLayout, 'key'> = {}): LineLayout => ({ key, ...more });
const optional = (key: string, more: Omit<LineLayout, 'key'> = {}): LineLayout =>
  line(key, { ...more, optional: true });

/**
 * What a channel's lines are in Asterisk 13 to 23. Older ones have neither Language nor Linkedid.
 * @see ast_manager_build_channel_state_string_prefix in Asterisk's main/manager_channels.c
 */
export function channelLines(prefix = ''): Layout {
  return [
    line('Channel', { raw: longestText }),
    line('ChannelState'),
    line('ChannelStateDesc'),
    line('CallerIDNum', { raw: longestText }),
    line('CallerIDName'),
    line('ConnectedLineNum', { raw: longestText }),
    line('ConnectedLineName'),
    optional('Language'),
    optional('AccountCode', { raw: extension }),
    line('Context'),
    line('Exten', { raw: extension }),
    line('Priority'),
    line('Uniqueid'),
    optional('Linkedid'),
  ].map((each) => ({ ...each, key: `${prefix}${each.key}` }));
}

/** Creator and name came with 14, the source of video with 17. A conference's name may be what the caller dialled. */
const bridgeLinesOf = (prefix = ''): Layout =>
  [
    line('BridgeUniqueid'),
    line('BridgeType'),
    line('BridgeTechnology'),
    optional('BridgeCreator'),
    optional('BridgeName', { raw: longestText }),
    line('BridgeNumChannels'),
    optional('BridgeVideoSourceMode'),
    optional('BridgeVideoSource'),
  ].map((each) => ({ ...each, key: `${prefix}${each.key}` }));
const bridgeLines = bridgeLinesOf();
const ifAny = (lines: Layout): Layout => lines.map((each) => ({ ...each, optional: true }));

const channel = channelLines();
/**
 * A channel begins with the account code of its endpoint's configuration; later it has what the dialplan sets, a caller's number
 * perhaps.
 */
const newChannel = channel.map((each) => (each.key === 'AccountCode' ? optional('AccountCode') : each));
const dialled = [...channelLines('Dest'), line('DialString', { raw: longestText })];

const statusEnd = [
  optional('EffectiveConnectedLineNum', { raw: longestText }),
  optional('EffectiveConnectedLineName'),
  optional('TimeToHangup'),
  optional('BridgeID'),
  optional('Application'),
  optional('Data', { raw: argumentText }),
  ...Array.from({ length: 8 }, () => optional('Variable', { raw: longestText })),
  optional('ActionID'),
];
const status = [...channel, optional('Type'), optional('DNID', { raw: longestText }), ...statusEnd];
/** As older and other systems write it. */
const shortStatus = [
  line('Channel', { raw: longestText }),
  line('Uniqueid'),
  optional('DNID', { raw: longestText }),
  ...statusEnd,
];

/** Behind the first line. An event with two layouts is written in either. */
const bodies: Readonly<Record<string, readonly Layout[]>> = {
  Newchannel: [newChannel],
  Newstate: [channel],
  NewCallerid: [[...channel, optional('CID-CallingPres')]],
  // Asterisk itself dials for AMI's Originate and for call files.
  DialBegin: [[...channel, ...dialled], dialled],
  // @see attended_transfer_to_ami in Asterisk's main/stasis_bridges.c
  AttendedTransfer: [
    [
      line('Result'),
      ...channelLines('OrigTransferer'),
      ...ifAny(bridgeLinesOf('Orig')),
      ...channelLines('SecondTransferer'),
      ...ifAny(bridgeLinesOf('Second')),
      ...ifAny(channelLines('Transferee')),
      ...ifAny(channelLines('TransferTarget')),
      optional('IsExternal'),
      optional('DestType'),
    ],
  ],
  Rename: [[line('Channel', { raw: longestText }), line('Newname', { raw: longestText }), line('Uniqueid')]],
  BridgeEnter: [[...bridgeLines, ...channel, optional('SwapUniqueid')]],
  BridgeLeave: [[...bridgeLines, ...channel]],
  BridgeDestroy: [bridgeLines],
  HangupRequest: [[...channel, optional('Cause'), optional('TechCause')]],
  Hangup: [[...channel, line('Cause'), optional('Cause-txt'), optional('TechCause')]],
  Status: [status, shortStatus],
  CoreShowChannel: [
    [
      ...channel,
      line('Application'),
      line('ApplicationData', { raw: argumentText }),
      line('Duration'),
      line('BridgeId'),
    ],
  ],
  BridgeListItem: [bridgeLines],
};

/** Events are recognised by Privilege or, in the answer to an action, by ActionID. */
const head: Layout = [line('Event'), optional('ActionID'), optional('Privilege'), optional('ActionID')];

type EventLayout = {
  readonly layouts: readonly Layout[];
  /** The keys of all of them: other keys are those of later versions. */
  readonly keys: ReadonlySet<string>;
  /** The longest values of those that may have line breaks. */
  readonly raws: ReadonlyMap<string, number>;
};

const layouts: ReadonlyMap<string, EventLayout> = new Map(
  Object.entries(bodies).map(([event, each]) => {
    const whole = each.map((body) => [...head, ...body]);
    const lines = whole.flat();
    const raws = lines.flatMap(({ key, raw }) => (raw === undefined ? [] : [[key, raw] as const]));
    return [event, { layouts: whole, keys: new Set(lines.map(({ key }) => key)), raws: new Map(raws) }];
  }),
);

/** What Asterisk writes in the event; undefined for events whose lines the bridge does not know. */
export function layoutOf(event: string): EventLayout | undefined {
  return layouts.get(event);
}

/** Keys whose values the bridge does not use: of these, it does not matter which line Asterisk wrote. */
const unused =
  /(StateDesc|CallerIDName|ConnectedLineNum|ConnectedLineName|Language|AccountCode|TimeToHangup)$|^(Bridge(Type|Name|NumChannels|VideoSource|VideoSourceMode)|BridgeID|Type|Application|Data|ApplicationData|Duration|Variable|ActionID|Cause-txt|TechCause)$/;

/** Whether the bridge uses the value of a key; `if-certain`: it can do without one that is disputed. */
export type Use = 'no' | 'if-certain' | 'always';

/** Of these, only what a missed call is called, say, depends. */
const dispensable = /(Context|Exten)$/;

export function useOf(key: string): Use {
  if (unused.test(key)) return 'no';
  return dispensable.test(key) ? 'if-certain' : 'always';
}
