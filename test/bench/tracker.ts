import type { Input } from '../../src/calls/input.ts';
import { createRules } from '../../src/calls/rules.ts';
import { createTracker } from '../../src/calls/tracker.ts';
import { compare } from './compare.ts';

/**
 * The tracker alone, with 500 calls in flight, against a floor that only keeps the tables: a mutable map of channels
 * and of bridges, and no decision at all.
 */
const IN_FLIGHT = 500;
const CALLS = 20_000;

/** The inputs of one answered call through a Local pair, in the order and number in which Asterisk 22 sends them. */
function inputsOf(index: number): Input[] {
  const at = 1_763_600_000_000 + index;
  const id = (leg: number) => `${1_763_600_000 + index}.${index * 4 + leg}`;
  const linkedid = id(0);
  const number = `+3120${String(1_000_000 + index)}`;
  const trunk = `PJSIP/trunk-${index.toString(16).padStart(8, '0')}`;
  const local = `Local/${index}@ring-${index.toString(16).padStart(8, '0')}`;
  const phone = `PJSIP/1001-${index.toString(16).padStart(8, 'f')}`;
  const created = (leg: number, channel: string, state: number, context: string): Input => ({
    type: 'channel-created',
    at,
    uniqueid: id(leg),
    linkedid,
    channel,
    state,
    context,
    exten: 's',
    callerNumber: leg === 0 ? number : '',
  });
  const state = (leg: number, channel: string, value: number): Input => ({
    type: 'channel-state',
    at,
    uniqueid: id(leg),
    channel,
    state: value,
    callerNumber: number,
  });
  const caller = (leg: number): Input => ({
    type: 'caller-number',
    at,
    uniqueid: id(leg),
    callerNumber: number,
    presentation: 'allowed',
  });
  const enter = (leg: number, channel: string, bridge: string): Input => ({
    type: 'bridge-entered',
    at,
    bridge: `${bridge}-${index}`,
    technology: 'simple_bridge',
    uniqueid: id(leg),
    channel,
    callerNumber: number,
  });
  const leave = (leg: number, bridge: string): Input => ({
    type: 'bridge-left',
    at,
    bridge: `${bridge}-${index}`,
    uniqueid: id(leg),
  });
  const gone = (bridge: string): Input => ({ type: 'bridge-destroyed', at, bridge: `${bridge}-${index}` });
  // The bridge asks the PBX about the caller as soon as it rings; this is its answer.
  const shown: Input = {
    type: 'presentation',
    at,
    uniqueid: id(0),
    presentation: 'allowed',
    dnid: '31201234567',
  };
  const hangup = (leg: number): Input => ({ type: 'hung-up', at, uniqueid: id(leg), cause: 16 });
  return [
    created(0, trunk, 4, 'from-trunk'),
    shown,
    state(0, trunk, 6),
    created(1, `${local};1`, 0, 'ring'),
    created(2, `${local};2`, 4, 'ring'),
    caller(1),
    caller(2),
    created(3, phone, 0, 'from-internal'),
    caller(3),
    state(3, phone, 5),
    state(1, `${local};1`, 5),
    state(3, phone, 6),
    enter(3, phone, 'b'),
    state(2, `${local};2`, 6),
    enter(2, `${local};2`, 'b'),
    state(1, `${local};1`, 6),
    enter(1, `${local};1`, 'a'),
    enter(0, trunk, 'a'),
    leave(2, 'b'),
    leave(0, 'a'),
    enter(0, trunk, 'b'),
    leave(1, 'a'),
    gone('a'),
    hangup(1),
    hangup(2),
    leave(3, 'b'),
    leave(0, 'b'),
    gone('b'),
    hangup(3),
    hangup(0),
  ];
}

/** Calls side by side: at every moment about `IN_FLIGHT` of them are somewhere in their middle. */
function interleaved(): Input[] {
  const inputs: Input[] = [];
  let live: Input[][] = [];
  for (let next = 0; next < CALLS || live.length > 0; ) {
    while (live.length < IN_FLIGHT && next < CALLS) {
      live.push(inputsOf(next));
      next += 1;
    }
    for (const [index, call] of live.entries())
      for (let n = 0; n <= index % 3; n += 1) {
        const input = call.shift();
        if (input !== undefined) inputs.push(input);
      }
    live = live.filter((call) => call.length > 0);
  }
  return inputs;
}

const inputs = interleaved();
const rules = createRules({
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*', 'from-pstn*', '*-incoming'],
  inboundChannels: [],
  defaultCountry: 'NL',
  answeredBy: 'endpoint',
});

function tracked(journal: boolean): number {
  const tracker = createTracker(rules, { calls: [], trunks: [] });
  let reported = 0;
  let bytes = 0;
  for (const input of inputs) {
    for (const effect of tracker.apply(input)) {
      if (effect.type === 'report') reported += 1;
      if (journal && effect.type === 'journal') bytes += JSON.stringify(effect.entry).length;
    }
  }
  if (journal !== bytes > 0) throw new Error(`${bytes} bytes of journal`);
  if (reported !== CALLS * 3 || tracker.state.channels.size !== 0)
    throw new Error(`reported ${reported} of ${CALLS * 3}`);
  return inputs.length;
}

function tablesOnly(): number {
  const channels = new Map<string, { state: number; bridge: string; number: string }>();
  const bridges = new Map<string, Set<string>>();
  for (const input of inputs)
    switch (input.type) {
      case 'channel-created':
        channels.set(input.uniqueid, { state: input.state, bridge: '', number: input.callerNumber });
        break;
      case 'channel-state': {
        const channel = channels.get(input.uniqueid);
        if (channel) channel.state = input.state;
        break;
      }
      case 'caller-number': {
        const channel = channels.get(input.uniqueid);
        if (channel) channel.number = input.callerNumber;
        break;
      }
      case 'bridge-entered': {
        const channel = channels.get(input.uniqueid);
        if (channel) channel.bridge = input.bridge;
        const members = bridges.get(input.bridge);
        if (members) members.add(input.uniqueid);
        else bridges.set(input.bridge, new Set([input.uniqueid]));
        break;
      }
      case 'bridge-left':
        bridges.get(input.bridge)?.delete(input.uniqueid);
        break;
      case 'bridge-destroyed':
        bridges.delete(input.bridge);
        break;
      case 'hung-up':
        channels.delete(input.uniqueid);
        break;
    }
  if (channels.size !== 0) throw new Error('channels left over');
  return inputs.length;
}

await compare(`The tracker, ${IN_FLIGHT} calls in flight, ${inputs.length} inputs`, 'inputs', [
  { name: 'the tracker', run: () => tracked(false) },
  { name: 'the tracker, and its journal as JSON', run: () => tracked(true) },
  { name: 'floor: tables only, mutable, no decisions', run: tablesOnly },
]);
