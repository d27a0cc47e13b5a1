import type { Missed } from '../../shared/api/contract/call-extras.ts';
import type { Reason } from './decisions.ts';
import type { DialplanLine, Place } from './place.ts';
import type { CallFacts } from './report-rules.ts';
import type { Trunk } from './trunk.ts';

/**
 * What a PBX says about its channels and bridges, in telephone words: the tracker's only input.
 * Times (`at`) are Unix milliseconds, taken when the bytes arrived. Every string is a copy of its own
 * (never a slice of a network chunk), invalid UTF-8 is already replaced, `<unknown>` is already ''.
 */
export type Input =
  | ChannelCreated
  | ChannelStateChanged
  | CallerNumberChanged
  | PresentationAnswered
  | Dialled
  | Transferred
  | ChannelRenamed
  | BridgeEntered
  | BridgeLeft
  | BridgeDestroyed
  | HangupRequested
  | ChannelHungUp
  | VariableAnswered
  | ApplicationAnswered
  | Snapshot
  | ChannelsListed
  | EndpointsConfigured
  | TrunksCorrected
  | EndedUnseen
  | Tick;

/** The channel's state when this happened, as every event of a channel says it; absent if it does not. */
type WithState = { readonly state?: number | undefined };

/** What is known of a channel when it is first seen. */
export type ChannelSeen = {
  readonly uniqueid: string;
  readonly linkedid: string;
  /** The channel's name, such as `PJSIP/1001-0000002a` or `Local/s@ring-0001;2`. */
  readonly channel: string;
  /** Asterisk's channel state: 0 Down, 4 Ring (an inbound caller), 5 Ringing (a dialled leg), 6 Up. */
  readonly state: number;
  readonly context: string;
  readonly exten: string;
  /** CallerIDNum; '' when Asterisk has none. */
  readonly callerNumber: string;
};

/** Newchannel. */
export type ChannelCreated = ChannelSeen & { readonly type: 'channel-created'; readonly at: number };

/** Newstate. The place is where the channel is in the dialplan. */
export type ChannelStateChanged = Partial<Place> & {
  readonly type: 'channel-state';
  readonly at: number;
  readonly uniqueid: string;
  readonly channel: string;
  readonly state: number;
  readonly callerNumber: string;
};

/** Whether a caller's number may be shown (Q.931 presentation indicator); `unknown` until the PBX has said. */
export type Presentation = 'unknown' | 'allowed' | 'prohibited' | 'unavailable';

/**
 * NewCallerid. `presentation` is from CID-CallingPres: bits 0x60 (Q.931: 0x00, 0x20, 0x40). Only `prohibited` counts:
 * dialplans set it to allowed for callers who withhold the number.
 */
export type CallerNumberChanged = WithState & {
  readonly type: 'caller-number';
  readonly at: number;
  readonly uniqueid: string;
  readonly callerNumber: string;
  readonly presentation: Presentation;
};

/**
 * The answer to an `ask` effect: whether the caller lets the number be shown, by the action Status. `unknown`: the PBX
 * would not say.
 */
export type PresentationAnswered = {
  readonly type: 'presentation';
  readonly at: number;
  readonly uniqueid: string;
  readonly presentation: Presentation;
  /** What was dialled to reach the PBX (DNID); '' if there is none, undefined if Asterisk does not say. */
  readonly dnid: string | undefined;
  /** The number that the trunk presented (ANI), which dialplans leave alone; '' or absent if Asterisk has none. */
  readonly presented?: string | undefined;
};

/** DialBegin: what was asked of a leg's technology, such as `1001` or `trunk/sip:+491713920011@10.0.0.1`. */
export type Dialled = {
  readonly type: 'dialled';
  readonly at: number;
  /** The dialled leg's own, DestUniqueid. */
  readonly uniqueid: string;
  readonly dialString: string;
  /** The Uniqueid of the channel that dials, its state and where it is in the dialplan; absent if the PBX itself made the leg. */
  readonly by?: string;
  readonly byState?: number | undefined;
  readonly place?: Place;
};

/**
 * AttendedTransfer: a phone hands whom it talks with on to whom it has called on another line, while that one rings, too.
 */
export type Transferred = {
  readonly type: 'transferred';
  readonly at: number;
  /** The Uniqueid of who is handed on. */
  readonly uniqueid: string;
  /** The Uniqueid of the phone's channel on the other line, whose place that one takes. */
  readonly replaces: string;
};

/** Rename: masquerades (pickup, AMI redirect) give a channel another's name and technology. */
export type ChannelRenamed = {
  readonly type: 'channel-renamed';
  readonly at: number;
  readonly uniqueid: string;
  readonly oldName: string;
  /** The new name. */
  readonly channel: string;
};

/** BridgeEnter. */
export type BridgeEntered = WithState & {
  readonly type: 'bridge-entered';
  readonly at: number;
  readonly bridge: string;
  /** BridgeTechnology, such as `simple_bridge`, `softmix`, `holding_bridge`. */
  readonly technology: string;
  readonly uniqueid: string;
  readonly channel: string;
  readonly callerNumber: string;
  /** What has made the bridge, such as `ConfBridge` or `Stasis` (ARI); '' or absent if Asterisk does not say. */
  readonly creator?: string;
  /** What that calls it: a conference, by its name. */
  readonly bridgeName?: string;
  /** Where the channel is in the dialplan. */
  readonly context?: string;
  readonly exten?: string;
  /** The Uniqueid of the channel whose place in the bridge it takes; '' or absent if it takes none. */
  readonly replaces?: string;
};

/** BridgeLeave. */
export type BridgeLeft = WithState & {
  readonly type: 'bridge-left';
  readonly at: number;
  readonly bridge: string;
  readonly uniqueid: string;
};

/** BridgeDestroy. */
type BridgeDestroyed = {
  readonly type: 'bridge-destroyed';
  readonly at: number;
  readonly bridge: string;
};

/**
 * HangupRequest: the far end of the channel hangs up. Its place is where the channel is in the dialplan; by its Hangup it
 * may have run the extension `h`.
 */
export type HangupRequested = Place &
  WithState & {
    readonly type: 'hangup-requested';
    readonly at: number;
    readonly uniqueid: string;
  };

/** Hangup. `cause` is the Q.850 cause code; context, extension and priority are where the channel was in the dialplan. */
export type ChannelHungUp = WithState & {
  readonly type: 'hung-up';
  readonly at: number;
  readonly uniqueid: string;
  readonly cause: number;
  readonly context?: string;
  readonly exten?: string;
  readonly priority?: string;
};

/** The answer to an `ask-variable` effect; '' if the PBX does not say. */
export type VariableAnswered = {
  readonly type: 'variable';
  readonly at: number;
  readonly uniqueid: string;
  readonly variable: string;
  readonly value: string;
};

/** The answer to an `ask-application` effect; '' if the PBX does not say. */
export type ApplicationAnswered = {
  readonly type: 'application';
  readonly at: number;
  readonly uniqueid: string;
  /** Such as `Queue`. */
  readonly application: string;
  /** Its arguments as the dialplan has them, such as `sales-${EXTEN},t`. */
  readonly data: string;
  /** The lines of the extensions that were asked for too. */
  readonly others?: readonly DialplanLine[];
};

/** A channel in a snapshot (CoreShowChannel): also what it runs and the bridge it is in ('' for none). */
export type SnapshotChannel = ChannelSeen & { readonly application: string; readonly bridge: string };

/** Everything that is on the PBX now: after every (re)connect, before any event. Replaces all that was known. */
export type Snapshot = {
  readonly type: 'snapshot';
  readonly at: number;
  readonly channels: readonly SnapshotChannel[];
  readonly bridges: readonly { readonly bridge: string; readonly technology: string }[];
};

/**
 * Everything that is on the PBX, while events come in: it shows events that never came. A channel that is missing in one list
 * may have its Hangup on the way; in two lists, that was lost.
 */
export type ChannelsListed = Omit<Snapshot, 'type'> & {
  readonly type: 'channels-listed';
  /** When it was asked for, Unix ms. */
  readonly askedAt: number;
};

/** The context that the PBX's configuration gives to the calls of each endpoint: before the snapshot of a (re)connect. */
export type EndpointsConfigured = {
  readonly type: 'endpoints';
  readonly at: number;
  readonly contexts: readonly (readonly [endpoint: string, context: string])[];
  /** In which calls of chan_sip's guests begin; '' if it lets none in. */
  readonly guestContext: string;
};

/** An operator has added or forgotten trunks, and it is on disk. */
type TrunksCorrected = {
  readonly type: 'trunks-corrected';
  readonly at: number;
  readonly added: readonly Trunk[];
  readonly forgotten: readonly string[];
};

/**
 * A call that the snapshot did not find, and whose end was left open for the PBX's own record (`hasGapFiller`), is
 * over: this is what the record says of it.
 */
export type EndedUnseen = {
  readonly type: 'ended-unseen';
  readonly at: number;
  readonly uniqueid: string;
  /** Before REPORT_RULES; absent if there is no record. */
  readonly number?: NumberToReport;
  /** What REPORT_RULES go by, as the record has it. */
  readonly facts?: Omit<CallFacts, 'caller'>;
  /** Who answered; absent if the call was not answered, or there is no record. */
  readonly callerId?: string;
  /** How it ended, if the record says that nobody answered. */
  readonly missed?: Missed;
};

/** Time has passed: sent when a `wake` effect asked for it. */
type Tick = { readonly type: 'tick'; readonly at: number };

/** The number to report of a caller and how it was read, or why the call is not reported. */
export type NumberToReport =
  | { readonly from: string; readonly how: string }
  | {
      readonly reason: Reason;
      readonly why: string;
      /** Of an ignored call: the number that would have been reported. */
      readonly number?: string;
    };
