import type { ChannelSeen, Input, Presentation, SnapshotChannel } from '../calls/input.ts';
import type { Place } from '../calls/place.ts';
import { presentationVariables, readPresentation } from '../calls/presentation.ts';
import { type FieldKey, type Fields, fieldKey } from './wire/frame.ts';

/**
 * Reads what each AMI event says about a channel or bridge. Undefined if the event lacks its Uniqueid or another
 * required field: only that event is ignored. All are of class `call`; Asterisk 16 to 23 send the same.
 * @see https://docs.asterisk.org/Latest_API/API_Documentation/AMI_Events/
 */
const readers: ReadonlyMap<string, (fields: Fields, at: number) => Input | undefined> = new Map([
  ['Newchannel', newchannel],
  ['Newstate', newstate],
  ['NewCallerid', newCallerid],
  ['DialBegin', dialBegin],
  ['AttendedTransfer', attendedTransfer],
  ['Rename', rename],
  ['BridgeEnter', bridgeEnter],
  ['BridgeLeave', bridgeLeave],
  ['BridgeDestroy', bridgeDestroy],
  ['HangupRequest', hangupRequest],
  ['Hangup', hangup],
]);

/** The events that are turned into inputs. */
export function isCallEvent(name: string): boolean {
  return readers.has(name);
}

const uniqueidKey = fieldKey('Uniqueid');
const linkedidKey = fieldKey('Linkedid');
const channelKey = fieldKey('Channel');
const stateKey = fieldKey('ChannelState');
const callerNumberKey = fieldKey('CallerIDNum');
const presentationKey = fieldKey('CID-CallingPres');
const contextKey = fieldKey('Context');
const extenKey = fieldKey('Exten');
const priorityKey = fieldKey('Priority');
const applicationKey = fieldKey('Application');
const newNameKey = fieldKey('Newname');
const dialledUniqueidKey = fieldKey('DestUniqueid');
const dialStringKey = fieldKey('DialString');
const transfereeKey = fieldKey('TransfereeUniqueid');
const secondKey = fieldKey('SecondTransfererUniqueid');
const causeKey = fieldKey('Cause');
const bridgeKey = fieldKey('BridgeUniqueid');
const technologyKey = fieldKey('BridgeTechnology');
const creatorKey = fieldKey('BridgeCreator');
const bridgeNameKey = fieldKey('BridgeName');
const swapKey = fieldKey('SwapUniqueid');
const channelsBridgeKey = fieldKey('BridgeId');
const dnidKey = fieldKey('DNID');

/** Whether a Newchannel says which call the channel belongs to: Asterisk 12 and older do not. */
export function hasLinkedid(fields: Fields): boolean {
  return (fields(linkedidKey) ?? '').trim() !== '';
}

/**
 * A call event as the tracker's input; undefined if it is none, or a bad one.
 * @param at Unix milliseconds at which its bytes arrived.
 */
export function toInput(event: string, fields: Fields, at: number): Input | undefined {
  return readers.get(event)?.(fields, at);
}

/** A CoreShowChannel of a snapshot. */
export function toSnapshotChannel(fields: Fields): SnapshotChannel | undefined {
  const seen = channelSeen(fields);
  return (
    seen && { ...seen, application: text(fields, applicationKey), bridge: text(fields, channelsBridgeKey) }
  );
}

/** A BridgeListItem of a snapshot. */
export function toSnapshotBridge(fields: Fields): { bridge: string; technology: string } | undefined {
  const bridge = text(fields, bridgeKey);
  return bridge === '' ? undefined : { bridge, technology: text(fields, technologyKey) };
}

/** The number as it came in. */
const presentedVariable = 'CALLERID(ani)';
const variableKey = (name: string): FieldKey => `\nVariable: ${name}=`;
const variableKeys = presentationVariables.map(variableKey);
const presentedKey = variableKey(presentedVariable);

/** The variables that `toStatus` reads of a Status event, as the action takes them. */
export const presentationVariableList = [...presentationVariables, presentedVariable].join(',');

/** A Status event that was asked for with `presentationVariableList`, as the input `presentation` has it. */
export type ChannelStatus = {
  uniqueid: string;
  presentation: Presentation;
  dnid: string | undefined;
  presented: string;
};

/** Set by a lookup, whatever it found. */
export const priorityVariable = 'CALLER_PRIORITY_STATUS';
const lookedUpKey = variableKey(priorityVariable);

/** What a Status event that was asked for with it says: '' if the dialplan has not asked; undefined if another was asked for. */
export const toPriorityStatus = (fields: Fields): string | undefined => fields(lookedUpKey);

export function toStatus(fields: Fields): ChannelStatus {
  const values = variableKeys.map((key) => text(fields, key));
  return {
    uniqueid: text(fields, uniqueidKey),
    presentation: readPresentation(values),
    dnid: fields(dnidKey),
    presented: numberOrNone(text(fields, presentedKey)),
  };
}

function newchannel(fields: Fields, at: number): Input | undefined {
  const seen = channelSeen(fields);
  return seen && { type: 'channel-created', at, ...seen };
}

function newstate(fields: Fields, at: number): Input | undefined {
  const uniqueid = text(fields, uniqueidKey);
  const state = number(fields, stateKey);
  if (uniqueid === '' || state === undefined) return undefined;
  return {
    type: 'channel-state',
    at,
    uniqueid,
    channel: text(fields, channelKey),
    state,
    callerNumber: callerNumber(fields),
    ...place(fields),
  };
}

function newCallerid(fields: Fields, at: number): Input | undefined {
  const uniqueid = text(fields, uniqueidKey);
  if (uniqueid === '') return undefined;
  const presentation = presentationOf(fields(presentationKey));
  const state = number(fields, stateKey);
  return { type: 'caller-number', at, uniqueid, state, callerNumber: callerNumber(fields), presentation };
}

function dialBegin(fields: Fields, at: number): Input | undefined {
  const uniqueid = text(fields, dialledUniqueidKey);
  const dialString = text(fields, dialStringKey);
  const by = text(fields, uniqueidKey);
  const dialler = by === '' ? {} : { by, byState: number(fields, stateKey), place: place(fields) };
  return uniqueid === '' ? undefined : { type: 'dialled', at, uniqueid, dialString, ...dialler };
}

/** Without a transferee (a conference, say) nobody takes the place of the other line. */
function attendedTransfer(fields: Fields, at: number): Input | undefined {
  const uniqueid = text(fields, transfereeKey);
  const replaces = text(fields, secondKey);
  return uniqueid === '' || replaces === '' ? undefined : { type: 'transferred', at, uniqueid, replaces };
}

function rename(fields: Fields, at: number): Input | undefined {
  const uniqueid = text(fields, uniqueidKey);
  const channel = text(fields, newNameKey);
  if (uniqueid === '' || channel === '') return undefined;
  return { type: 'channel-renamed', at, uniqueid, oldName: text(fields, channelKey), channel };
}

function bridgeEnter(fields: Fields, at: number): Input | undefined {
  const bridge = text(fields, bridgeKey);
  const uniqueid = text(fields, uniqueidKey);
  if (bridge === '' || uniqueid === '') return undefined;
  return {
    type: 'bridge-entered',
    at,
    bridge,
    technology: text(fields, technologyKey),
    uniqueid,
    state: number(fields, stateKey),
    channel: text(fields, channelKey),
    callerNumber: callerNumber(fields),
    creator: text(fields, creatorKey),
    bridgeName: text(fields, bridgeNameKey),
    context: text(fields, contextKey),
    exten: text(fields, extenKey),
    replaces: text(fields, swapKey),
  };
}

function bridgeLeave(fields: Fields, at: number): Input | undefined {
  const bridge = text(fields, bridgeKey);
  const uniqueid = text(fields, uniqueidKey);
  const state = number(fields, stateKey);
  return bridge === '' || uniqueid === '' ? undefined : { type: 'bridge-left', at, bridge, uniqueid, state };
}

function bridgeDestroy(fields: Fields, at: number): Input | undefined {
  const bridge = text(fields, bridgeKey);
  return bridge === '' ? undefined : { type: 'bridge-destroyed', at, bridge };
}

function hangupRequest(fields: Fields, at: number): Input | undefined {
  const uniqueid = text(fields, uniqueidKey);
  const state = number(fields, stateKey);
  return uniqueid === '' ? undefined : { type: 'hangup-requested', at, uniqueid, state, ...place(fields) };
}

function hangup(fields: Fields, at: number): Input | undefined {
  const uniqueid = text(fields, uniqueidKey);
  if (uniqueid === '') return undefined;
  const cause = number(fields, causeKey) ?? 0;
  return { type: 'hung-up', at, uniqueid, state: number(fields, stateKey), cause, ...place(fields) };
}

function place(fields: Fields): Place {
  return {
    context: text(fields, contextKey),
    exten: text(fields, extenKey),
    priority: text(fields, priorityKey),
  };
}

function channelSeen(fields: Fields): ChannelSeen | undefined {
  const uniqueid = text(fields, uniqueidKey);
  const channel = text(fields, channelKey);
  const state = number(fields, stateKey);
  if (uniqueid === '' || channel === '' || state === undefined) return undefined;
  return {
    uniqueid,
    linkedid: text(fields, linkedidKey),
    channel,
    state,
    context: text(fields, contextKey),
    exten: text(fields, extenKey),
    callerNumber: callerNumber(fields),
  };
}

/** Q.931's presentation indicator, bits 6 and 7 of the octet that CID-CallingPres begins with, such as `35 (…)`. */
function presentationOf(text: string | undefined): Presentation {
  const octet = Number.parseInt(text ?? '', 10);
  if ((octet & 0x60) === 0x20) return 'prohibited';
  if ((octet & 0x60) === 0x40) return 'unavailable';
  return 'allowed';
}

/** Asterisk writes `<unknown>` for a number it does not have, and `(null)` for such a variable. */
function callerNumber(fields: Fields): string {
  return numberOrNone(text(fields, callerNumberKey));
}

function numberOrNone(value: string): string {
  return value === '<unknown>' || value === '(null)' ? '' : value;
}

function number(fields: Fields, key: FieldKey): number | undefined {
  const value = text(fields, key);
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

function text(fields: Fields, key: FieldKey): string {
  return fields(key) ?? '';
}
