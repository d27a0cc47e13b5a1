import { answerCallsIn } from './answer.ts';
import { beginCall, callGoesOn, replacingOverdue } from './call.ts';
import {
  callerChanged,
  callerNumber,
  numbersOverdue,
  presentationAnswered,
  setNumber,
} from './caller-inputs.ts';
import {
  type Channel,
  callerOf,
  createCaller,
  createChannel,
  isCaller,
  isInbound,
  isPaged,
  legRole,
  presentedIn,
  RING,
  RINGING,
  type Role,
  UP,
} from './channel.ts';
import {
  channelKind,
  dialledNumber,
  endpointOf,
  goesOverTrunk,
  numberInAddress,
  otherHalf,
} from './channel-name.ts';
import type { Effect } from './effect.ts';
import { applicationAnswered, applicationsOverdue, endedUnseen, hungUp } from './hang-up.ts';
import type {
  BridgeEntered,
  BridgeLeft,
  ChannelCreated,
  ChannelRenamed,
  ChannelStateChanged,
  Dialled,
  Input,
  Transferred,
} from './input.ts';
import { applyList, connectionsOverdue, pickedUp } from './listed-channels.ts';
import { hangupRequested, seenAt, variableAnswered } from './missed.ts';
import { farEndReplaced } from './replaced-far-end.ts';
import { classifyChannel, isLegOf, type Rules } from './rules.ts';
import { applySnapshot, isHolding } from './snapshot.ts';
import {
  addChannel,
  callerDialling,
  destroyBridge,
  enterBridge,
  firstRole,
  leaveBridge,
  legsOf,
  setRole,
} from './topology.ts';
import { initialState, type Saved, type TrackerState, writeJournal, writeObserved } from './tracker-state.ts';
import {
  isPhone,
  isTrunkConfigured,
  isTrunkEnd,
  learnConfiguration,
  learnTrunk,
  unlearnTrunk,
} from './trunk-learning.ts';
import { awaitRinging, legChanged, legIsPaged, peopleParted, setLeg, silentLegs, tellWho } from './who.ts';

/** Inputs that are not about what happens at their time. */
const unobserved = new Set<Input['type']>(['snapshot', 'channels-listed', 'ended-unseen', 'tick']);

/** Inputs that are about a channel's state. */
const ofState = new Set<Input['type']>(['channel-created', 'channel-state']);

export function createTracker(rules: Rules, saved: Saved) {
  const state = initialState(rules, saved);
  return {
    /**
     * Applies an input, and returns its effects, in order. Deterministic: the same inputs give the same effects, and
     * `input.at` is the only clock. Input about unknown channels is not an error: after a connect there always is some.
     */
    apply(input: Input): readonly Effect[] {
      state.at = input.at;
      state.effects = [];
      take(state, input);
      peopleParted(state);
      tellWho(state);
      return state.effects;
    },
    /** Applies these from the next input on. An open call keeps its id and its data. */
    changeRules(next: Rules) {
      state.rules = next;
    },
    /** What it knows now: to be read, not changed. */
    state: state as Readonly<TrackerState>,
  };
}

function take(state: TrackerState, input: Input): void {
  state.isLiveInput = !unobserved.has(input.type);
  if (input.type === 'dialled') stateSeen(state, input.by, input.byState);
  else if ('uniqueid' in input && 'state' in input && !ofState.has(input.type))
    stateSeen(state, input.uniqueid, input.state);
  switch (input.type) {
    case 'channel-created':
      channelCreated(state, input);
      break;
    case 'channel-state':
      channelState(state, input);
      break;
    case 'caller-number':
      callerNumber(state, input);
      break;
    case 'presentation':
      presentationAnswered(state, input);
      break;
    case 'dialled':
      dialled(state, input);
      break;
    case 'transferred':
      transferred(state, input);
      break;
    case 'channel-renamed':
      channelRenamed(state, input);
      break;
    case 'bridge-entered':
      bridgeEntered(state, input);
      break;
    case 'bridge-left':
      bridgeLeft(state, input);
      break;
    case 'bridge-destroyed':
      destroyBridge(state, input.bridge);
      break;
    case 'hangup-requested':
      hangupRequested(state, input);
      break;
    case 'variable':
      variableAnswered(state, input);
      break;
    case 'application':
      applicationAnswered(state, input);
      break;
    case 'hung-up':
      hungUp(state, input);
      break;
    case 'snapshot':
      applySnapshot(state, input);
      break;
    case 'channels-listed':
      applyList(state, input);
      break;
    case 'endpoints':
      learnConfiguration(state, input);
      break;
    case 'trunks-corrected':
      for (const endpoint of input.forgotten) state.trunks.delete(endpoint);
      for (const trunk of input.added) state.trunks.set(trunk.endpoint, trunk);
      break;
    case 'ended-unseen':
      endedUnseen(state, input);
      break;
    case 'tick':
      numbersOverdue(state);
      replacingOverdue(state);
      applicationsOverdue(state);
      connectionsOverdue(state);
      silentLegs(state);
      break;
    default:
      input satisfies never;
  }
}

function channelCreated(state: TrackerState, seen: ChannelCreated): void {
  const { trunk, inbound, rule } = classifyChannel(state.rules, seen);
  let channel = state.channels.get(seen.uniqueid);
  if (channel === undefined) {
    const role = firstRole(state, seen, inbound ? 'caller' : 'other');
    channel = createChannel(seen, { fromStart: true, trunk, seenAt: state.at, role });
    addChannel(state, channel);
  } else {
    // The snapshot came before this event. The snapshot has the newer state, the event the context and the first
    // number.
    Object.assign(channel, { fromStart: true, exten: seen.exten, trunk, isInDoubt: false });
    setRole(state, channel, roleByNewchannel(channel.role, seen, inbound));
  }
  channel.context = seen.context;
  channel.firstNumber = seen.callerNumber || undefined;
  const isLeg = isLegOf(seen);
  if (isLeg) setRole(state, channel, legRole(channel.role, { dialledFor: seen.linkedid }));
  // Only the first of a chain of Local channels is of interest: a call may have begun with it (Originate).
  if (!isLeg || channel.kind !== 'local')
    writeJournal(state, {
      at: state.at,
      uniqueid: seen.uniqueid,
      linkedid: seen.linkedid,
      number: seen.callerNumber,
      kind: inbound || isLeg ? 'appeared' : 'not-reported',
      event: { code: 'appeared', channel: seen.channel, context: seen.context, exten: seen.exten, rule },
    });
  if (isLeg) callGoesOn(state, seen.linkedid);
  if (seen.state === RING || channel.state === RING) ring(state, channel);
  legChanged(state, channel);
}

/** The role of a channel that was known before its Newchannel came. */
function roleByNewchannel(before: Role, { callerNumber }: ChannelCreated, inbound: boolean): Role {
  const presented = presentedIn(callerNumber);
  if (before.type === 'leg') {
    const isDialled = !inbound || before.dialled !== undefined;
    return isDialled ? before : createCaller({ isInbound: true, presented });
  }
  if (!inbound) return { type: 'other' };
  if (before.type !== 'caller') return createCaller({ isInbound: true, presented });
  return { ...before, isInbound: true, presented: presented ?? before.presented };
}

function channelState(state: TrackerState, input: ChannelStateChanged): void {
  const channel = state.channels.get(input.uniqueid);
  if (channel === undefined) return;
  channel.state = input.state;
  seenAt(state, channel, input);
  legChanged(state, channel);
  if (input.state === UP && channel.bridge !== undefined) answerCallsIn(state, channel.bridge);
  if (input.state === UP) pickedUp(state, channel);
  if (input.callerNumber !== '') setNumber(channel, input.callerNumber);
  if (input.state === RING) ring(state, channel);
  if (isInbound(channel)) callerChanged(state, channel);
}

/**
 * What an event of another kind says of a channel's state: the manager may keep Newstate back. An earlier state than the one that
 * is known is an old one: events of a bridge and of a channel come in any order.
 */
function stateSeen(state: TrackerState, uniqueid = '', now: number | undefined): void {
  const { state: known = UP } = state.channels.get(uniqueid) ?? {};
  const isLater = now === UP ? known !== UP : now === RING && ![RING, RINGING, UP].includes(known);
  if (now === undefined || !isLater) return;
  channelState(state, {
    type: 'channel-state',
    at: state.at,
    uniqueid,
    channel: '',
    state: now,
    callerNumber: '',
  });
}

/** A leg that is dialled out, over a trunk perhaps, is no inbound call, whatever its context. */
function dialled(state: TrackerState, { uniqueid, dialString, by = '', place }: Dialled): void {
  const dialler = state.channels.get(by);
  if (isInbound(dialler) && place) {
    seenAt(state, dialler, place);
    dialler.role.redirected = undefined;
    dialler.role.mailbox = undefined;
  }
  const channel = state.channels.get(uniqueid);
  if (channel === undefined) return;
  const goesOut =
    isTrunkEnd(state, channel) || goesOverTrunk(channel, dialString, isPhone(state, channel.endpoint));
  if (isInbound(channel)) {
    if (!goesOut) return;
    const event = { code: 'dialled-out' } as const;
    writeJournal(state, { at: state.at, uniqueid, kind: 'not-reported', event });
  }
  if (goesOut) {
    channel.trunk = true;
    state.effects.push({ type: 'dialled-out', uniqueid, at: state.at });
  }
  const number = goesOut ? dialledNumber(dialString) : numberInAddress(channel, dialString);
  const caller = dialler && callerDialling(state, dialler);
  // An old Asterisk does not say in the Newchannel for whom it is.
  const dialledFor = caller ?? callerOf(channel) ?? (dialler && (callerOf(dialler) ?? by));
  const half = channel.kind === 'local' ? state.locals.get(otherHalf(channel.name)) : undefined;
  if (half?.role.type === 'leg') setRole(state, half, legRole(half.role, { dialledFor }));
  const leg = legRole(channel.role, {
    dialledFor,
    dialled: number || undefined,
    isBegun: true,
    isDialledByPbx: by === '',
    dialledBy: by || undefined,
  });
  awaitRinging(state, channel);
  setLeg(state, channel, leg);
}

/** The caller takes the place of the channel that dials: who rings, rings for the caller from now on. */
function transferred(state: TrackerState, { uniqueid, replaces }: Transferred): void {
  if (!state.calls.has(uniqueid)) return;
  for (const leg of [...legsOf(state, replaces)])
    setLeg(state, leg, legRole(leg.role, { dialledFor: uniqueid }));
}

function channelRenamed(state: TrackerState, input: ChannelRenamed): void {
  const { uniqueid, channel: name } = input;
  const channel = state.channels.get(uniqueid);
  // A Rename is short enough for a caller to write one into a value, who does not know the names of other channels.
  if (channel?.name !== input.oldName) return;
  if (state.locals.get(channel.name) === channel) state.locals.delete(channel.name);
  const endpoint = endpointOf(name);
  if (endpoint !== channel.endpoint) channel.trunk = state.rules.nameIsInbound(name);
  channel.name = name;
  channel.kind = channelKind(name);
  channel.endpoint = endpoint;
  addChannel(state, channel);
  legChanged(state, channel);
  if (channel.bridge !== undefined) answerCallsIn(state, channel.bridge);
}

function bridgeEntered(state: TrackerState, input: BridgeEntered): void {
  let channel = state.channels.get(input.uniqueid);
  if (channel === undefined) {
    const { uniqueid, channel: name, callerNumber } = input;
    const trunk = state.rules.nameIsInbound(name);
    const role = firstRole(state, input, 'unknown');
    channel = createChannel(
      { uniqueid, channel: name, callerNumber, state: input.state ?? UP },
      { fromStart: false, trunk, seenAt: state.at, role },
    );
    channel.context = input.context;
    addChannel(state, channel);
  }
  if (input.callerNumber !== '') setNumber(channel, input.callerNumber);
  if (input.replaces) farEndReplaced(state, channel, input.replaces);
  const call = state.calls.get(input.uniqueid);
  if (call !== undefined) {
    const isAlone = !state.bridges.has(input.bridge);
    writeObserved(state, call, { code: 'enters-bridge', technology: input.technology, isAlone });
  }
  callGoesOn(state, input.uniqueid);
  if (channel.role.type === 'leg') channel.role.isPaged = entersPage(channel, input);
  const pager = isPaged(channel) ? state.calls.get(callerOf(channel) ?? '') : undefined;
  if (pager) {
    writeObserved(state, pager, { code: 'paged', channel: channel.name });
    legIsPaged(state, pager, channel);
  }
  answerCallsIn(state, enterBridge(state, channel, input.bridge, isHolding(input.technology)));
}

/**
 * True for a leg that Page() has dialled: it goes into a conference at once, from where it began, whose name is a random number.
 * That of a key system, in which people pick up, is SLA_ and its trunk. An ARI program that invites somebody to a conference
 * sends the leg through the dialplan.
 * @see page_exec in Asterisk's apps/app_page.c, sla_trunk_exec in apps/app_sla.c
 */
function entersPage({ role, context, exten }: Channel, now: BridgeEntered): boolean {
  if (role.type !== 'leg' || !role.isDialledByPbx || role.dialledFor === undefined) return false;
  const isThere = context !== undefined && now.context === context && now.exten === exten;
  return now.creator === 'ConfBridge' && /^\d+$/.test(now.bridgeName ?? '') && isThere;
}

function bridgeLeft(state: TrackerState, { uniqueid, bridge }: BridgeLeft): void {
  const call = state.calls.get(uniqueid);
  if (call !== undefined) writeObserved(state, call, { code: 'leaves-bridge' });
  const channel = state.channels.get(uniqueid);
  if (channel?.bridge?.id !== bridge) return;
  if (isCaller(channel) && !channel.bridge.holding) channel.role.talkedUntil = state.at;
  leaveBridge(state, channel);
}

/** Handles state Ring, which only callers have: channels that the PBX dials go Down, Ringing, Up. */
function ring(state: TrackerState, channel: Channel): void {
  if (channel.fromStart && channel.kind === 'real') {
    if (isInbound(channel)) learnTrunk(state, channel);
    else if (!channel.trunk && !isTrunkConfigured(state, channel.endpoint))
      unlearnTrunk(state, channel.endpoint);
  }
  if (isInbound(channel) && !state.calls.has(channel.uniqueid)) beginCall(state, channel);
}
