import assert from 'node:assert/strict';
import type { Effect } from './effect.ts';
import type { Input, Presentation, SnapshotChannel } from './input.ts';
import { callSettings } from './rules.fixture.ts';
import { type CallSettings, createRules } from './rules.ts';
import { createTracker } from './tracker.ts';
import type { Saved } from './tracker-state.ts';
import type { Trunk } from './trunk.ts';

/** A line of what is reported: `ringing +31201234567`, `answered +31201234567 by 1001`. */
function line(effect: Effect): string {
  if (effect.type === 'report')
    return `${effect.status} ${effect.from}${effect.callerId ? ` by ${effect.callerId}` : ''}`;
  if (effect.type === 'log') return `(${effect.decision})`;
  return '';
}

/**
 * Plays inputs, and answers each `ask` with `presentation`; returns what is reported and noted, in order, and the state
 * that is left, after it made sure that the effects save and free all of it for a restart.
 */
export function play(
  inputs: readonly Input[],
  overrides: Partial<CallSettings> = {},
  saved: Saved = { calls: [], trunks: [] },
  presentation: Presentation | 'no answer' = 'allowed',
  dnid: string | undefined = '0201000000',
  more: { hasGapFiller?: boolean; asksApplications?: boolean } = {},
) {
  const rules = createRules({ ...callSettings, ...overrides }, more);
  const tracker = createTracker(rules, saved);
  const effects: Effect[] = [];
  const hear = (input: Input) => {
    const next = tracker.apply(input);
    effects.push(...next);
    for (const effect of next)
      if (effect.type === 'ask' && presentation !== 'no answer')
        hear({ type: 'presentation', at: input.at, uniqueid: effect.uniqueid, presentation, dnid });
  };
  inputs.forEach(hear);
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
  if (!inputs.some(({ type }) => type === 'trunks-corrected'))
    assert.deepEqual([...kept.trunks.values()], [...tracker.state.trunks.values()]);
  return { reported: effects.map(line).filter(Boolean), effects, state: tracker.state };
}

export const at = 1_000;
export const created = (uniqueid: string, channel: string, more: Partial<Input> = {}): Input =>
  ({
    type: 'channel-created',
    at,
    uniqueid,
    linkedid: '1.1',
    channel,
    state: 0,
    context: 'from-internal',
    exten: 's',
    callerNumber: '',
    ...more,
  }) as Input;
export const caller = (more: Partial<Input> = {}): Input =>
  created('1.1', 'PJSIP/trunk-00000001', {
    context: 'from-trunk-isp',
    state: 4,
    callerNumber: '0201234567',
    ...more,
  } as Partial<Input>);
/** A phone of the house, `state`: 5 it rings, 6 somebody has picked it up. */
export const phone = (state = 6, uniqueid = '1.2', extension = '1001'): Input =>
  created(uniqueid, `PJSIP/${extension}-00000002`, { state } as Partial<Input>);
export const enters = (
  bridge: string,
  uniqueid: string,
  technology = 'simple_bridge',
  callerNumber = '',
): Input => ({
  type: 'bridge-entered',
  at,
  bridge,
  technology,
  uniqueid,
  channel: '',
  callerNumber,
});
export const leaves = (bridge: string, uniqueid: string): Input => ({
  type: 'bridge-left',
  at,
  bridge,
  uniqueid,
});
export const hangsUp = (uniqueid: string): Input => ({ type: 'hung-up', at, uniqueid, cause: 16 });
export const state = (uniqueid: string, channelState: number, callerNumber = ''): Input => ({
  type: 'channel-state',
  at,
  uniqueid,
  channel: '',
  state: channelState,
  callerNumber,
});
export const number = (
  uniqueid: string,
  callerNumber: string,
  presentation: 'allowed' | 'prohibited' | 'unavailable' = 'allowed',
): Input => ({ type: 'caller-number', at, uniqueid, callerNumber, presentation });
export const saysOf = (uniqueid: string, presentation: Presentation): Input => ({
  type: 'presentation',
  at,
  uniqueid,
  presentation,
  dnid: '0201000000',
});
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
export const snapshot = (
  channels: readonly SnapshotChannel[],
  bridges: { bridge: string; technology: string }[] = [],
): Input => ({ type: 'snapshot', at, channels, bridges });

/**
 * Inputs in short, a word each: `caller`; `phone` and `rings`, the phone 1001 as 1.2, picked up or not; `1.1>b` enters a
 * bridge, `1.1<b` leaves it (`c` is a conference, `p` for parking); `1.1=6` has a state, `1.1#020` a number, `1.1#!020` one that is
 * prohibited; `1.1?allowed` is what the PBX answers; `-1.1` hangs up; `+999` is a tick; `talk` a phone that answers in
 * `b`; `gone` a snapshot without channels. `@9000` behind a word is its time, and a name of `more` stands for what it is.
 */
export function heardAs(
  script: string,
  more: Readonly<Record<string, Input | readonly Input[]>> = {},
): Input[] {
  const named: typeof more = {
    caller: caller(),
    phone: phone(),
    rings: phone(5),
    talk: [phone(), enters('b', '1.2'), enters('b', '1.1')],
    gone: snapshot([]),
    ...more,
  };
  return script.split(' ').flatMap((text): readonly Input[] => {
    if (text === '') return [];
    const [word = '', time] = text.split('@');
    const [, id = '', sign = '', rest = ''] = /^([\d.]*)([<>=#?+-])(.*)$/.exec(word) ?? [];
    const inputs = [named[word] ?? inputOf(id, sign, rest)].flat();
    return time === undefined ? inputs : inputs.map((input) => ({ ...input, at: Number(time) }));
  });
}

function inputOf(id: string, sign: string, rest: string): Input {
  if (sign === '>') return enters(rest, id, { c: 'softmix', p: 'holding_bridge' }[rest]);
  if (sign === '<') return leaves(rest, id);
  if (sign === '=') return state(id, Number(rest));
  if (sign === '#') return number(id, rest.replace('!', ''), rest.startsWith('!') ? 'prohibited' : 'allowed');
  if (sign === '?') return saysOf(id, rest as Presentation);
  if (sign === '+') return tick(Number(rest));
  assert.equal(sign, '-', 'no such input');
  return hangsUp(rest);
}

/**
 * What is reported, in short: `R` ringing, `A` answered by 1001, `C` completed by 1001, `M` completed without an answer,
 * each with another person or number as `A:1009` and `R@+31000000000`; what is logged as it is.
 */
export function reportedAs(script: string): string[] {
  const statuses = { R: 'ringing', A: 'answered', C: 'completed', M: 'completed' };
  return script.split(' ').flatMap((text) => {
    if (text === '') return [];
    const [, short, by, from = '+31201234567'] = /^([RACM])(?::([^@]+))?(?:@(.+))?$/.exec(text) ?? [];
    if (short === undefined) return [text];
    const who = 'AC'.includes(short) ? ` by ${by ?? '1001'}` : '';
    return [`${statuses[short as keyof typeof statuses]} ${from}${who}`];
  });
}

export const [R, A, C, MISSED] = reportedAs('R A C M') as [string, string, string, string];

/** A trunk on which an inbound call was heard. */
export const heard = (endpoint: string, context = 'from-trunk-isp'): Trunk => ({
  ...{ endpoint, source: 'heard', context, firstAt: at, lastAt: at },
});
