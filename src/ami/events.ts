import type { ChannelSeen, Input, Presentation, SnapshotChannel } from '../calls/input.ts';
import type { AmiObject } from './wire/ami-object.ts';
import { type FrameKeys, frameKeys } from './wire/frame.ts';

/**
 * What each AMI event says about a channel or a bridge. Undefined if the event lacks what it is about: such
 * an event is lost, alone. All are of class `call`; Asterisk 16 and 22 send the same.
 * @see https://docs.asterisk.org/Latest_API/API_Documentation/AMI_Events/
 */
const readers: ReadonlyMap<string, (event: AmiObject, at: number) => Input | undefined> = new Map([
  ['Newchannel', newchannel],
  ['Newstate', newstate],
  ['NewCallerid', newCallerid],
  ['DialBegin', dialBegin],
  ['Rename', rename],
  ['BridgeEnter', bridgeEnter],
  ['BridgeLeave', bridgeLeave],
  ['BridgeDestroy', bridgeDestroy],
  ['Hangup', hangup],
]);

/** The events that are turned into inputs. */
export function isCallEvent(name: string): boolean {
  return readers.has(name);
}

const listEvents = new Set([
  'CoreShowChannel',
  'CoreShowChannelsComplete',
  'BridgeListItem',
  'BridgeListComplete',
  'Status',
  'StatusComplete',
]);

/** The events that the lists we ask for are made of: a snapshot's, and Status. */
export function isListEvent(name: string): boolean {
  return listEvents.has(name);
}

/** Every key that is read of an event, here or in a snapshot's list. */
export const eventKeys: FrameKeys = frameKeys([
  'ActionID',
  'EventList',
  'Uniqueid',
  'Linkedid',
  'Channel',
  'ChannelState',
  'CallerIDNum',
  'CID-CallingPres',
  'Context',
  'Exten',
  'Application',
  'Newname',
  'DestUniqueid',
  'DialString',
  'Cause',
  'BridgeUniqueid',
  'BridgeTechnology',
  'BridgeId',
  'Variable',
  'DNID',
]);

/**
 * An AMI event as the tracker's input; undefined if it is none, or a bad one.
 * @param at Unix milliseconds at which its bytes arrived.
 */
export function toInput(event: AmiObject, at: number): Input | undefined {
  return readers.get(event.event ?? '')?.(event, at);
}

/** A CoreShowChannel of a snapshot. */
export function toSnapshotChannel(event: AmiObject): SnapshotChannel | undefined {
  const seen = channelSeen(event);
  return seen && { ...seen, application: copy(event.application), bridge: copy(event.bridgeid) };
}

/** A BridgeListItem of a snapshot. */
export function toSnapshotBridge(event: AmiObject): { bridge: string; technology: string } | undefined {
  const bridge = copy(event.bridgeuniqueid);
  return bridge === '' ? undefined : { bridge, technology: copy(event.bridgetechnology) };
}

/**
 * The variables that `toPresentation` reads of a Status event. FreePBX's inbound routes allow every number a few
 * milliseconds after Newchannel; what the caller wanted is in the second then, in releases before 13 in the third.
 */
const presentationVariables = ['CALLERID(num-pres)', 'CALLINGNUMPRES_SV', 'CALLINGPRES_SV'] as const;

/** The same, as Status takes them. */
export const presentationVariableList = presentationVariables.join(',');

/** A Status event's Variable lines, by name: whether that caller's number may be shown. */
export function toPresentation(variables: Readonly<Record<string, string>> | undefined): Presentation {
  if (presentationVariables.some((name) => variables?.[name]?.startsWith('prohib'))) return 'prohibited';
  const value = variables?.[presentationVariables[0]] ?? '';
  if (value.startsWith('unavail')) return 'unavailable';
  return value.startsWith('allowed') ? 'allowed' : 'unknown';
}

function newchannel(event: AmiObject, at: number): Input | undefined {
  const seen = channelSeen(event);
  return seen && { type: 'channel-created', at, ...seen };
}

function newstate(event: AmiObject, at: number): Input | undefined {
  const uniqueid = copy(event.uniqueid);
  const state = number(event.channelstate);
  if (uniqueid === '' || state === undefined) return undefined;
  return {
    type: 'channel-state',
    at,
    uniqueid,
    channel: copy(event.channel),
    state,
    callerNumber: known(event.calleridnum),
  };
}

function newCallerid(event: AmiObject, at: number): Input | undefined {
  const uniqueid = copy(event.uniqueid);
  if (uniqueid === '') return undefined;
  const presentation = presentationOf(event['cid-callingpres']);
  return { type: 'caller-number', at, uniqueid, callerNumber: known(event.calleridnum), presentation };
}

function dialBegin(event: AmiObject, at: number): Input | undefined {
  const uniqueid = copy(event.destuniqueid);
  const dialString = copy(event.dialstring);
  return uniqueid === '' ? undefined : { type: 'dialled', at, uniqueid, dialString };
}

function rename(event: AmiObject, at: number): Input | undefined {
  const uniqueid = copy(event.uniqueid);
  const channel = copy(event.newname);
  return uniqueid === '' || channel === '' ? undefined : { type: 'channel-renamed', at, uniqueid, channel };
}

function bridgeEnter(event: AmiObject, at: number): Input | undefined {
  const bridge = copy(event.bridgeuniqueid);
  const uniqueid = copy(event.uniqueid);
  if (bridge === '' || uniqueid === '') return undefined;
  return {
    type: 'bridge-entered',
    at,
    bridge,
    technology: copy(event.bridgetechnology),
    uniqueid,
    channel: copy(event.channel),
    callerNumber: known(event.calleridnum),
  };
}

function bridgeLeave(event: AmiObject, at: number): Input | undefined {
  const bridge = copy(event.bridgeuniqueid);
  const uniqueid = copy(event.uniqueid);
  return bridge === '' || uniqueid === '' ? undefined : { type: 'bridge-left', at, bridge, uniqueid };
}

function bridgeDestroy(event: AmiObject, at: number): Input | undefined {
  const bridge = copy(event.bridgeuniqueid);
  return bridge === '' ? undefined : { type: 'bridge-destroyed', at, bridge };
}

function hangup(event: AmiObject, at: number): Input | undefined {
  const uniqueid = copy(event.uniqueid);
  return uniqueid === '' ? undefined : { type: 'hung-up', at, uniqueid, cause: number(event.cause) ?? 0 };
}

function channelSeen(event: AmiObject): ChannelSeen | undefined {
  const uniqueid = copy(event.uniqueid);
  const channel = copy(event.channel);
  const state = number(event.channelstate);
  if (uniqueid === '' || channel === '' || state === undefined) return undefined;
  return {
    uniqueid,
    linkedid: copy(event.linkedid),
    channel,
    state,
    context: copy(event.context),
    exten: copy(event.exten),
    callerNumber: known(event.calleridnum),
  };
}

/** Q.931's presentation indicator, bits 6 and 7 of the octet that CID-CallingPres begins with, such as `35 (…)`. */
function presentationOf(text: string | undefined): Presentation {
  const octet = Number.parseInt(text ?? '', 10);
  if ((octet & 0x60) === 0x20) return 'prohibited';
  if ((octet & 0x60) === 0x40) return 'unavailable';
  return 'allowed';
}

/** Asterisk writes `<unknown>` for a number it does not have. */
function known(value: string | undefined): string {
  return value === '<unknown>' ? '' : copy(value);
}

function number(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/**
 * A string of its own. V8 cuts strings of 13 characters and more out of a bigger one without copying, and
 * what the tracker keeps for the length of a call would keep the whole frame with it.
 */
function copy(value: string | undefined): string {
  if (value === undefined) return '';
  return value.length < 13 ? value : Buffer.from(value, 'utf8').toString('utf8');
}
