import { numberIn, placeholderIn } from '../../shared/phone-number/number-text.ts';
import { type ChannelKind, channelKind, endpointOf } from './channel-name.ts';
import type { ChannelSeen, Presentation } from './input.ts';
import type { DialplanLine, MissedPlace, Place } from './place.ts';

/**
 * A channel as the tracker keeps it: what every channel has, and its role. What the name says is read once, when the name is
 * set. Source: docs.asterisk.org, "Channel" and "Local Channel": names are Technology/endpoint-uniquenumber.
 */
export type Channel = {
  readonly uniqueid: string;
  name: string;
  kind: ChannelKind;
  /** Technology and endpoint, `PJSIP/1001`: the same for every channel of a phone or trunk. */
  endpoint: string;
  /** True if it is a trunk's by its context or name, whatever its direction. */
  trunk: boolean;
  state: number;
  /** CallerIDNum as it is now: the dialplan may have changed it. */
  number: string | undefined;
  /** CallerIDNum of its Newchannel: a phone's own, if it has dialled. */
  firstNumber: string | undefined;
  presentation: Presentation;
  /** True if it was seen from its Newchannel on; false if a snapshot or a bridge was the first to show it. */
  fromStart: boolean;
  /**
   * The context that it began in, by its Newchannel; else the one in which it was seen first, unless Dial() or Queue() had
   * dialled it.
   */
  context: string | undefined;
  /** True while the PBX is asked whether a number was dialled to reach it: then it is a caller's, else a leg that we dialled. */
  isInDoubt: boolean;
  /** The extension that it came in on, as far as is known: for a caller, the number that was called. */
  exten: string | undefined;
  /** The bridge it is in. */
  bridge: Bridge | undefined;
  /** The Uniqueid of the caller that it was connected with last. */
  withCaller: string | undefined;
  /** Who rings with it now for a caller. */
  ringsAs: string | undefined;
  /** When it was seen first, Unix ms. */
  readonly seenAt: number;
  /** True if the last list of all channels did not have it. */
  isMissing: boolean;
  /** When it hung up, Unix ms: it is kept only until the PBX has answered a question about it. */
  goneAt: number | undefined;
  /** Changed by `setRole` only. */
  readonly role: Role;
};

/** `unknown`: only a BridgeEnter has shown it, which does not say. `other`: neither a caller's nor dialled for anybody. */
export type Role = Caller | Leg | { readonly type: 'other' } | { readonly type: 'unknown' };

/** An inbound caller's channel: its call is open, or begins when its state is Ring. */
export type Caller = {
  readonly type: 'caller';
  /** False if it turned out not to have come in while its call was open. The call goes on as it was reported. */
  isInbound: boolean;
  /**
   * The first CallerIDNum that is a number, or says that it is withheld: what the trunk presented, before the dialplan
   * changed it.
   */
  presented: string | undefined;
  /** CallerIDNum when the dialplan first dialled somebody for this caller, or connected the caller. */
  dialplanNumber: string | undefined;
  /** True if the PBX was asked whether the number may be shown, and will answer. */
  isAsked: boolean;
  /** The Uniqueid of the person that the caller talks with, or talked with last. */
  talksWith: string | undefined;
  /** The Uniqueid of the machine that answered last (NOT_A_PERSON). */
  machine: string | undefined;
  /** When it left a bridge in which it could be heard, Unix ms. */
  talkedUntil: number | undefined;
  /** Where it was seen last, before anybody answered. */
  place: Place | undefined;
  /** The same, as far as that says where a missed call ends: a ring group, say, whose dialplan has gone on since. */
  was: MissedPlace | undefined;
  /** Where the Local channel runs that has answered in place of a phone (a phone redirected to voicemail, say). */
  redirected: Place | undefined;
  /** In FreePBX's voicemail: whose it is, if the PBX has said it. */
  mailbox: string | undefined;
  /** Until when (Unix ms) a phone rang, and which; no name if several did. */
  rang: { readonly until: number; readonly name: string | undefined } | undefined;
  /** When the caller hung up, where in the dialplan, and which application runs there if the PBX was asked. */
  end: CallerEnd | undefined;
};

/** A channel that was dialled. */
export type Leg = {
  readonly type: 'leg';
  /** The Uniqueid of the caller that it was dialled for; of whoever dials, for nobody who calls in. */
  readonly dialledFor: string | undefined;
  /** The number that was dialled to make it, if its endpoint does not say it: a mobile's over a trunk, say. */
  readonly dialled: string | undefined;
  /** True once its DialBegin has come: only then is it known whether it goes out over a trunk. */
  readonly isBegun: boolean;
  /** True once it has been dialled for a moment and has not said that it rings: nobody can know, so it does. */
  isSilent: boolean;
  /** True if no channel's Dial has made it, but Asterisk itself, for Page() or ARI. */
  readonly isDialledByPbx: boolean;
  /** The Uniqueid of the channel whose Dial has made it. */
  readonly dialledBy: string | undefined;
  /** True while Page() has it in its conference. It answers by itself: nobody has picked it up. */
  isPaged: boolean;
  /** True once Page() has had it in its conference, or a Local channel over which it was dialled: it has rung for nobody. */
  wasPaged: boolean;
};

export type CallerChannel = Channel & { readonly role: Caller };

export type CallerEnd = {
  /** Unix ms. */
  readonly at: number;
  readonly place: Place;
  /** True if the far end hung up, false if it is not known that it did. */
  readonly isRequested: boolean;
  application?: 'asked' | { readonly name: string; readonly data: string };
  /** Lines of the dialplan that lead from or to that place. */
  others?: readonly DialplanLine[];
};

/** Channels that hear each other, unless the bridge holds them apart (parking, queue agents). */
export type Bridge = {
  readonly id: string;
  readonly members: Set<Channel>;
  holding: boolean;
  /** True if a bridge of the same id was emptied before, and its BridgeDestroy has not come. */
  isSecond: boolean;
};

/** A channel when it is first seen. */
export function createChannel(
  seen: Pick<ChannelSeen, 'uniqueid' | 'channel' | 'state' | 'callerNumber'> & { readonly exten?: string },
  more: Pick<Channel, 'fromStart' | 'trunk' | 'seenAt' | 'role'>,
): Channel {
  return {
    uniqueid: seen.uniqueid,
    name: seen.channel,
    kind: channelKind(seen.channel),
    endpoint: endpointOf(seen.channel),
    trunk: more.trunk,
    state: seen.state,
    number: seen.callerNumber || undefined,
    firstNumber: undefined,
    presentation: 'unknown',
    fromStart: more.fromStart,
    context: undefined,
    isInDoubt: false,
    exten: seen.exten,
    bridge: undefined,
    withCaller: undefined,
    ringsAs: undefined,
    seenAt: more.seenAt,
    isMissing: false,
    goneAt: undefined,
    role: more.role,
  };
}

export function createCaller(of: Pick<Caller, 'isInbound' | 'presented'>): Caller {
  return {
    type: 'caller',
    isInbound: of.isInbound,
    presented: of.presented,
    dialplanNumber: undefined,
    isAsked: false,
    talksWith: undefined,
    machine: undefined,
    talkedUntil: undefined,
    place: undefined,
    was: undefined,
    redirected: undefined,
    mailbox: undefined,
    rang: undefined,
    end: undefined,
  };
}

/** The role of a leg with what is new of it; what was known of it stays. */
export function legRole(before: Role, now: Partial<Omit<Leg, 'type'>>): Leg {
  const known =
    before.type === 'leg'
      ? before
      : {
          dialledFor: undefined,
          dialled: undefined,
          isBegun: false,
          isSilent: false,
          isDialledByPbx: false,
          dialledBy: undefined,
          isPaged: false,
          wasPaged: false,
        };
  return { ...known, ...now, type: 'leg' };
}

/** True for a caller's channel, also if it turned out not to have come in. */
export function isCaller(channel: Channel | undefined): channel is CallerChannel {
  return channel?.role.type === 'caller';
}

/** True for the channel of somebody who calls in. */
export function isInbound(channel: Channel | undefined): channel is CallerChannel {
  return isCaller(channel) && channel.role.isInbound;
}

/** What the trunk presented, if it is a caller's channel. */
export function presentedBy({ role }: Readonly<Channel>): string | undefined {
  return role.type === 'caller' ? role.presented : undefined;
}

/** The Uniqueid of the caller that it was dialled for. */
export function callerOf({ role }: Channel): string | undefined {
  return role.type === 'leg' ? role.dialledFor : undefined;
}

/** The number that was dialled to make it. */
export function dialledTo({ role }: Channel): string | undefined {
  return role.type === 'leg' ? role.dialled : undefined;
}

export function isPaged({ role }: Channel): boolean {
  return role.type === 'leg' && role.isPaged;
}

/** The text if a trunk presents a number with it, or withholds one; undefined for a SIP address such as `alice7`. */
export function presentedIn(callerNumber: string): string | undefined {
  const placeholder = placeholderIn(callerNumber);
  const isPresented = placeholder === undefined ? numberIn(callerNumber) !== '' : placeholder === 'withheld';
  return isPresented ? callerNumber : undefined;
}

/** Channel states that matter. Source: docs.asterisk.org, AST_STATE: Ring is a caller's who rings at us, Up is answered. */
export const RING = 4;
/** A dialled leg rings. */
export const RINGING = 5;
export const UP = 6;
/** An analogue line that rings, and waits for its caller's number. */
export const PRERING = 9;
