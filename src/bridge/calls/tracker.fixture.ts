import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import type { DecisionName } from './decisions.ts';
import type { Effect } from './effect.ts';
import type {
  BridgeEntered,
  BridgeLeft,
  ChannelCreated,
  ChannelHungUp,
  Dialled,
  Input,
  Presentation,
  PresentationAnswered,
  SnapshotChannel,
} from './input.ts';
import { callSettings } from './rules.fixture.ts';
import { type CallSettings, createRules } from './rules.ts';
import { createTracker } from './tracker.ts';
import type { Saved } from './tracker-state.ts';
import type { Trunk } from './trunk.ts';

type Inputs = readonly (Input | readonly Input[])[];

/** An event of the call as it is reported, with who answered; or a decision that is logged. */
type Reported = { status: CallStatus; from: string; by?: string } | DecisionName;

function reportedBy(effect: Effect): Reported[] {
  if (effect.type === 'log') return [effect.decision];
  if (effect.type !== 'report') return [];
  const { status, from, callerId } = effect;
  return [callerId === undefined ? { status, from } : { status, from, by: callerId }];
}

/** Where a test differs: `presentation` is what the PBX says each time it is asked, `dnid` the number that was dialled. */
export type Setup = {
  settings?: Partial<CallSettings>;
  saved?: Saved;
  presentation?: Presentation | 'no answer';
  dnid?: string;
  hasGapFiller?: boolean;
};

/**
 * Plays inputs; returns what is reported and logged, in order, all effects, and the state that is left, after it made sure
 * that the effects save and free all of it for a restart.
 */
export function play(inputs: Inputs, setup: Setup = {}) {
  const { settings, saved = { calls: [], trunks: [] }, presentation = 'allowed', hasGapFiller } = setup;
  const rules = createRules({ ...callSettings, ...settings }, hasGapFiller ? { hasGapFiller } : {});
  const tracker = createTracker(rules, saved);
  const effects: Effect[] = [];
  const hear = (input: Input) => {
    const next = tracker.apply(input);
    effects.push(...next);
    for (const effect of next)
      if (effect.type === 'ask' && presentation !== 'no answer')
        hear({ ...pbxSays(effect, presentation), at: input.at, dnid: setup.dnid ?? '0201000000' });
  };
  inputs.flat().forEach(hear);
  const kept = {
    calls: new Map(saved.calls.map((call) => [call.id, call])),
    trunks: new Map(saved.trunks.map((trunk) => [trunk.endpoint, trunk])),
  };
  for (const effect of effects) {
    if (effect.type === 'save') kept.calls.set(effect.call.id, effect.call);
    else if (effect.type === 'free') kept.calls.delete(effect.id);
    else if (effect.type === 'trunk' && effect.trunk) kept.trunks.set(effect.endpoint, effect.trunk);
    else if (effect.type === 'trunk') kept.trunks.delete(effect.endpoint);
  }
  assert.deepEqual([...kept.calls.values()], [...tracker.state.calls.values()]);
  // What an operator corrects is stored already.
  if (!inputs.flat().some(({ type }) => type === 'trunks-corrected'))
    assert.deepEqual([...kept.trunks.values()], [...tracker.state.trunks.values()]);
  return { reported: effects.flatMap(reportedBy), effects, state: tracker.state };
}

/** A test for each case: what is heard, and what is reported and logged. */
export function testReports(
  cases: readonly (readonly [name: string, heard: Inputs, reported: readonly Reported[], setup?: Setup])[],
  common: Setup = {},
): void {
  for (const [name, heard, reported, setup] of cases)
    test(name, () => assert.deepEqual(play(heard, { ...common, ...setup }).reported, reported));
}

export const ringing = { status: 'ringing', from: '+31201234567' } as const;
export const answeredBy = (by: string) => ({ status: 'answered', from: ringing.from, by }) as const;
export const completedBy = (by: string) => ({ status: 'completed', from: ringing.from, by }) as const;
/** By the phone. */
export const [answered, completed] = [answeredBy('1001'), completedBy('1001')];
/** Completed without an answer. */
export const missed = { status: 'completed', from: ringing.from } as const;

export const at = 1_000;
/** The caller's channel: as an input, that it appears and rings. */
export const caller: ChannelCreated = {
  type: 'channel-created',
  at,
  uniqueid: '1.1',
  linkedid: '1.1',
  channel: 'PJSIP/trunk-00000001',
  state: 4,
  context: 'from-trunk-isp',
  exten: 's',
  callerNumber: '0201234567',
};
/** Another caller than `caller`, with the same number. */
export const callerAs = (uniqueid: string): ChannelCreated => ({ ...caller, uniqueid, linkedid: uniqueid });
/** Another caller, with another number. */
export const other = { ...callerAs('2.1'), callerNumber: '0207654321' };
/** Another channel of the caller's call. */
export const created = (uniqueid: string, channel: string, state = 0): ChannelCreated => ({
  ...caller,
  uniqueid,
  channel,
  state,
  context: 'from-internal',
  callerNumber: '',
});
/** A phone of the house that has picked up. */
export const phoneAs = (extension: string, uniqueid = '1.2') =>
  created(uniqueid, `PJSIP/${extension}-00000002`, 6);
export const phone = phoneAs('1001');
export const [phone1007, phone1008] = [phoneAs('1007', '1.7'), phoneAs('1008', '1.8')];
/** The phone, which rings. */
export const ringingPhone: ChannelCreated = { ...phone, state: 5 };

/** The two halves of a Local channel. */
export const local = [created('1.3', 'Local/s@ring-0001;1'), created('1.4', 'Local/s@ring-0001;2')] as const;

/** What has a Uniqueid: a channel by how it appeared. */
type Channel = Pick<ChannelCreated, 'uniqueid'>;
type Bridge = { bridge: string; technology: string };
export const conference: Bridge = { bridge: 'c', technology: 'softmix' };
export const parking: Bridge = { bridge: 'p', technology: 'holding_bridge' };
export const enters = (bridge: string | Bridge, { uniqueid }: Channel): BridgeEntered => ({
  ...(typeof bridge === 'string' ? { bridge, technology: 'simple_bridge' } : bridge),
  type: 'bridge-entered',
  at,
  uniqueid,
  channel: '',
  callerNumber: '',
});
/** One after the other enters the bridge. */
export const join = (bridge: string | Bridge, ...channels: Channel[]): Input[] =>
  channels.map((channel) => enters(bridge, channel));
export const leaves = (bridge: string, { uniqueid }: Channel): BridgeLeft => ({
  type: 'bridge-left',
  at,
  bridge,
  uniqueid,
});
/** The phone picks up and talks with the caller. */
export const talk: Input[] = [phone, ...join('b', phone, caller)];
export const hangsUp = ({ uniqueid }: Channel): ChannelHungUp => ({
  type: 'hung-up',
  at,
  uniqueid,
  cause: 16,
});
const states = { ring: 4, ringing: 5, up: 6 };
export const becomes = ({ uniqueid }: Channel, state: keyof typeof states): Input => ({
  type: 'channel-state',
  at,
  uniqueid,
  channel: '',
  state: states[state],
  callerNumber: '',
});
export const dialled = ({ uniqueid }: Channel, dialString: string): Dialled => ({
  type: 'dialled',
  at,
  uniqueid,
  dialString,
});
/** The number of a channel changes. */
export const number = (
  { uniqueid }: Channel,
  callerNumber: string,
  presentation: Presentation = 'allowed',
): Input => ({ type: 'caller-number', at, uniqueid, callerNumber, presentation });
/** The PBX answers whether the caller's number may be shown. */
export const pbxSays = ({ uniqueid }: Channel, presentation: Presentation): PresentationAnswered => ({
  type: 'presentation',
  at,
  uniqueid,
  presentation,
  dnid: '0201000000',
});
/** So many milliseconds after `at`. */
export const tick = (later: number): Input => ({ type: 'tick', at: at + later });
export const row = (
  uniqueid: string,
  channel: string,
  more: Partial<SnapshotChannel> = {},
): SnapshotChannel => ({
  uniqueid,
  linkedid: '1.1',
  channel,
  state: 6,
  context: 'ivr',
  exten: 's',
  callerNumber: '0201234567',
  application: 'Dial',
  bridge: '',
  ...more,
});
export const snapshot = (channels: readonly SnapshotChannel[], bridges: Bridge[] = []): Input => ({
  type: 'snapshot',
  at,
  channels,
  bridges,
});
/** A snapshot of a PBX on which nothing is left. */
export const gone = snapshot([]);

/** A trunk on which an inbound call was heard. */
export const heard = (endpoint: string, context = 'from-trunk-isp'): Trunk => ({
  endpoint,
  source: 'heard',
  context,
  firstAt: at,
  lastAt: at,
});
