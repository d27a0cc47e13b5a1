import { UP } from './channel.ts';
import type { Tell } from './effect.ts';
import { verdictOn } from './explain/verdict.ts';
import { hangupCause } from './hangup-cause.ts';
import type { ChannelCreated, Input } from './input.ts';
import type { Transition } from './reduce.ts';
import type { Rules } from './rules.ts';
import type { OpenCall, State } from './state.ts';

/**
 * One line of the journal: what was seen or decided, for whoever asks later why a call did not show. Short keys, since
 * there are a dozen of these for each call.
 */
export type Entry = {
  /** Unix ms. */
  readonly at: number;
  /** The Uniqueid that it is about, and the Linkedid it had when it appeared. */
  readonly u: string;
  readonly l?: string;
  /** The id of the call, once there is one. */
  readonly c?: string;
  /** The number, as the PBX wrote it. */
  readonly n?: string;
  /** `not-told` is a reason why the call is not told; the last one counts. */
  readonly k: 'seen' | 'heard' | 'decided' | 'told' | 'not-told';
  readonly t: string;
};

/**
 * What a step of the tracker leaves for the journal: nothing for most inputs. Pure, and beside the tracker, so that
 * what is told never depends on it.
 */
export function journalOf(
  rules: Rules,
  before: State,
  input: Input,
  { state, effects }: Transition,
): Entry[] {
  const entries: Entry[] = [];
  const heard = heardOf(rules, before, input);
  if (heard !== undefined) entries.push(heard);
  if (effects.length === 0) return entries;
  const { at } = input;
  for (const effect of effects) {
    if (effect.type === 'tell') {
      const u = effect.id.slice(rules.pbxId.length + 1);
      const call = state.calls.get(u) ?? before.calls.get(u);
      entries.push({ at, u, c: effect.id, n: effect.from, k: 'told', t: tellText(effect, call, state) });
    } else if (effect.type === 'note') {
      const u = effect.id.slice(rules.pbxId.length + 1);
      const k = /^not-/.test(effect.decision) ? 'not-told' : 'decided';
      const t = k === 'not-told' ? effect.why : `${decisions[effect.decision]}: ${effect.why}`;
      entries.push({ at, u, c: effect.id, k, t });
    } else if (effect.type === 'ask') {
      const t = 'asked the PBX whether the caller lets the number be shown';
      entries.push({ at, u: effect.uniqueid, k: 'heard', t });
    }
  }
  return entries;
}

const decisions = {
  'not-told': 'not told',
  'told-late': 'told after all',
  'not-inbound': 'not told',
  adopted: 'taken up',
  vanished: 'ended unseen',
} as const;

/** What the PBX said, as far as it matters to a call. */
function heardOf(rules: Rules, before: State, input: Input): Entry | undefined {
  switch (input.type) {
    case 'channel-created':
      return seen(rules, input);
    case 'presentation': {
      const text = input.presentation === 'unknown' ? 'that it does not know' : input.presentation;
      return aboutCall(before, input.uniqueid, input.at, `the PBX says of showing the number: ${text}`);
    }
    case 'dialled': {
      if (before.channels.get(input.uniqueid)?.inbound !== true) return undefined;
      const t = 'the PBX dialled this out itself, over the trunk: not a call to us';
      return { at: input.at, u: input.uniqueid, k: 'not-told', t };
    }
    case 'bridge-entered': {
      const others = (before.bridges.get(input.bridge)?.members.length ?? 0) > 0;
      const who = others ? 'with others' : 'alone';
      return aboutCall(
        before,
        input.uniqueid,
        input.at,
        `the caller enters a bridge, ${who} (${input.technology})`,
      );
    }
    case 'bridge-left':
      return aboutCall(before, input.uniqueid, input.at, 'the caller leaves the bridge');
    case 'hung-up':
      return gone(before, input.uniqueid, input.at, input.cause);
    default:
      return undefined;
  }
}

function seen(rules: Rules, input: ChannelCreated): Entry | undefined {
  const { at, uniqueid: u, linkedid: l, channel, context, exten, callerNumber: n } = input;
  // The rest of a chain of Local channels explains nothing; the first may be what a call was begun with (Originate).
  if (u !== l && channel.startsWith('Local/')) return undefined;
  const { inbound, why } = verdictOn(rules, input);
  const from = n === '' ? 'with no number' : `from ${n}`;
  const verdict = inbound ? `inbound, since ${why}` : why;
  const t = `channel ${channel} in context ${context}, extension ${exten}, ${from}: ${verdict}`;
  return { at, u, l, n, k: inbound || u !== l ? 'seen' : 'not-told', t };
}

function aboutCall(before: State, u: string, at: number, t: string): Entry | undefined {
  const call = before.calls.get(u);
  return call && { at, u, c: call.id, k: 'heard', t };
}

function gone(before: State, u: string, at: number, cause: number): Entry | undefined {
  const channel = before.channels.get(u);
  if (channel === undefined || channel.kind !== 'real') return undefined;
  const call = before.calls.get(u);
  const end = `${channel.name} hung up, ${hangupCause(cause)}`;
  if (call !== undefined) return { at, u, c: call.id, k: 'heard', t: `the caller's channel ${end}` };
  if (!channel.inbound) return { at, u, k: 'heard', t: end };
  const how = channel.state === UP ? 'it was dialled out over the trunk' : 'it never got as far';
  return { at, u, k: 'not-told', t: `${end}; it never rang at us: ${how}` };
}

function tellText(
  { status, from, callerId, outcome }: Tell,
  call: OpenCall | undefined,
  state: State,
): string {
  if (status === 'ringing') return `ringing, from ${from}`;
  if (status === 'completed') return `completed, ${outcome}`;
  const person = state.channels.get(call?.answer?.by ?? '')?.name;
  return `answered by ${callerId ?? '?'}${person === undefined ? '' : `: ${person} is in a bridge with the caller`}`;
}
