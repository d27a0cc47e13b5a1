/** What a flood of calls on a PBX consists of, such as a scanner that sends hundreds of INVITEs a second makes. */
export const floodForms = {
  /** Calls that begin and end at once. */
  'short calls': (call) => [ring(call), hangUp(call)],
  /** Callers who all stay on the line. */
  'calls that stay': (call) => [ring(call)],
  /** Each with a phone that is dialled for it. */
  'calls with a phone': (call) => [
    ring(call),
    phone(call),
    state(call, 5),
    hangUp(phoneOf(call)),
    hangUp(call),
  ],
  /** Callers without a number, which the bridge waits for. */
  'calls without a number': (call) => [ring({ ...call, number: '<unknown>' })],
  /** Calls from one number. */
  'calls of one caller': (call) => [ring({ ...call, number: '0301234567' })],
  /** Channels that are not inbound calls. */
  'internal calls': (call) => [ring(call, 'from-internal'), hangUp(call)],
  /** Channels of which much is said that the bridge does not need. */
  'ignored events': (call) => [ring(call), ...variables(call), hangUp(call)],
} as const satisfies Readonly<Record<string, (call: FloodCall) => readonly string[]>>;

export type FloodForm = keyof typeof floodForms;

type FloodCall = {
  readonly channel: string;
  readonly uniqueid: string;
  readonly linkedid: string;
  readonly number: string;
};

/** The call with this index; no two calls have the same ids or number. */
export function floodCall(index: number): FloodCall {
  const uniqueid = `1795000000.${index * 2}`;
  const channel = `PJSIP/trunk-${index.toString(16).padStart(8, '0')}`;
  return { channel, uniqueid, linkedid: uniqueid, number: `0301${String(index).padStart(7, '0')}` };
}

function phoneOf({ channel, uniqueid }: FloodCall): FloodCall {
  const [second, count] = uniqueid.split('.');
  return {
    channel: channel.replace('trunk', '1001'),
    uniqueid: `${second}.${Number(count) + 1}`,
    linkedid: uniqueid,
    number: '1001',
  };
}

const ring = (call: FloodCall, context = 'from-trunk') => frame('Newchannel', call, 4, context);
const phone = (call: FloodCall) => frame('Newchannel', phoneOf(call), 0, 'from-internal');
const state = (call: FloodCall, to: number) => frame('Newstate', phoneOf(call), to, 'from-internal');
const hangUp = (call: FloodCall) =>
  frame('Hangup', call, 4, 'from-trunk', ['Cause: 16', 'Cause-txt: Normal Clearing']);

function variables(call: FloodCall): string[] {
  return Array.from({ length: 5 }, (_, index) =>
    frame('VarSet', call, 4, 'from-trunk', [`Variable: V${index}`, 'Value: 1']),
  );
}

/** A frame of an event of a channel as Asterisk 22 writes it, without its blank line. */
function frame(
  event: string,
  { channel, uniqueid, linkedid, number }: FloodCall,
  channelState: number,
  context: string,
  more: readonly string[] = [],
): string {
  return [
    `Event: ${event}`,
    `Privilege: ${event === 'VarSet' ? 'dialplan' : 'call'},all`,
    `Channel: ${channel}`,
    `ChannelState: ${channelState}`,
    'ChannelStateDesc: Ring',
    `CallerIDNum: ${number}`,
    'CallerIDName: <unknown>',
    'ConnectedLineNum: <unknown>',
    'ConnectedLineName: <unknown>',
    'Language: en',
    'AccountCode: ',
    `Context: ${context}`,
    'Exten: 493012345',
    'Priority: 1',
    `Uniqueid: ${uniqueid}`,
    `Linkedid: ${linkedid}`,
    ...more,
  ].join('\r\n');
}
