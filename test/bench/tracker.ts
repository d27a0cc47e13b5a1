import { toInput } from '../../src/ami/events.ts';
import type { Input } from '../../src/calls/input.ts';
import { createRules } from '../../src/calls/rules.ts';
import { createTracker } from '../../src/calls/tracker.ts';
import { seededRandom } from '../player/seeded-random.ts';
import { simulateCall } from '../player/simulated-calls.ts';
import { compare } from './compare.ts';

/**
 * The tracker alone, with 500 calls in flight, against a floor that only keeps a table of channels and bridges, and decides
 * nothing. `node test/bench/tracker.ts [calls]`
 */
const inFlight = 500;
const count = Number(process.argv[2] ?? 20_000);
const random = seededRandom(1);
let expected = 0;

/** The inputs of one answered call, every other one through a queue's Local channels. */
function inputsOf(index: number): Input[] {
  const second = 1_763_600_000;
  const call = simulateCall(index % 2 ? 'queue' : 'answered', { second, index, random, talkMs: 500 });
  expected += call.reported.length;
  return call.frames.flatMap(({ frame }) => {
    const [, name = ''] = /^Event: (\w+)/.exec(frame) ?? [];
    const input = toInput(name, Buffer.from(frame), second * 1_000 + index);
    if (input === undefined) return [];
    if (input.type !== 'channel-created' || input.uniqueid !== input.linkedid) return [input];
    // The bridge asks the PBX about the caller as soon as it rings; this is its answer.
    const { at, uniqueid } = input;
    return [input, { type: 'presentation', at, uniqueid, presentation: 'allowed', dnid: '493023125100' }];
  });
}

/** Calls side by side: at every moment about `inFlight` of them are somewhere in their middle. */
function interleaved(): Input[] {
  const inputs: Input[] = [];
  let live: Input[][] = [];
  for (let next = 0; next < count || live.length > 0; ) {
    for (; live.length < inFlight && next < count; next += 1) live.push(inputsOf(next));
    for (const [index, call] of live.entries()) inputs.push(...call.splice(0, 1 + (index % 3)));
    live = live.filter((call) => call.length > 0);
  }
  return inputs;
}

const inputs = interleaved();
const rules = createRules({
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*', 'from-pstn*', '*-incoming'],
  inboundChannels: [],
  defaultCountry: 'DE',
  answeredBy: 'endpoint',
});

function tracked(journal: boolean): number {
  const tracker = createTracker(rules, { calls: [], trunks: [] });
  let reported = 0;
  let bytes = 0;
  for (const input of inputs)
    for (const effect of tracker.apply(input)) {
      if (effect.type === 'report') reported += 1;
      if (journal && effect.type === 'journal') bytes += JSON.stringify(effect.entry).length;
    }
  if (journal !== bytes > 0) throw new Error(`${bytes} bytes of journal`);
  if (reported !== expected || tracker.state.channels.size !== 0)
    throw new Error(`reported ${reported} of ${expected}`);
  return inputs.length;
}

function tablesOnly(): number {
  const channels = new Map<string, { input: Input; bridge: string }>();
  const bridges = new Map<string, Set<string>>();
  for (const input of inputs) {
    if (input.type === 'hung-up') channels.delete(input.uniqueid);
    else if (input.type === 'bridge-destroyed') bridges.delete(input.bridge);
    else if (input.type === 'bridge-left') bridges.get(input.bridge)?.delete(input.uniqueid);
    else if (input.type === 'bridge-entered')
      bridges.set(input.bridge, (bridges.get(input.bridge) ?? new Set()).add(input.uniqueid));
    else if ('uniqueid' in input) channels.set(input.uniqueid, { input, bridge: '' });
  }
  return inputs.length;
}

await compare(`The tracker, ${inFlight} calls in flight, ${inputs.length} inputs`, 'inputs', [
  { name: 'the tracker', run: () => tracked(false) },
  { name: 'the tracker, and its journal as JSON', run: () => tracked(true) },
  { name: 'floor: tables only, no decisions', run: tablesOnly },
]);
