import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CallStatus, callStatuses } from '../../shared/api/contract/call-status.ts';
import type { Input, Presentation, SnapshotChannel } from './input.ts';
import type { OpenCall } from './open-call.ts';
import { readReportRule } from './report-rules.ts';
import { callSettings } from './rules.fixture.ts';
import { createRules } from './rules.ts';
import { createTracker } from './tracker.ts';
import type { Saved } from './tracker-state.ts';

const settings = { ...callSettings, withheldNumber: '+31000000000' };
const usualRules = createRules(settings);
/** Those by which no call of this PBX is reported, and others. */
const ignoringAll = [
  'ignore *',
  'report called +31*, ignore *',
  'ignore caller +31*, ignore channel pjsip/trunk',
];
const someRules = [
  ...ignoringAll,
  '',
  'ignore caller +31000000000',
  'ignore called 123',
  'report extension s',
];

/** What a PBX may do next; numbers choose among the channels and bridges that there are. */
const action = fc.oneof(
  fc.record({
    do: fc.constant('call in' as const),
    number: fc.constantFrom('0201234567', '', 'anonymous'),
    presentation: fc.constantFrom('allowed', 'prohibited', 'unavailable', 'unknown'),
  }),
  fc.record({ do: fc.constant('dial' as const), phone: fc.nat(5), via: fc.boolean() }),
  fc.record({ do: fc.constant('pick up' as const), channel: fc.nat() }),
  fc.record({ do: fc.constant('enter' as const), channel: fc.nat(), bridge: fc.nat(3) }),
  fc.record({ do: fc.constant('leave' as const), channel: fc.nat() }),
  fc.record({ do: fc.constant('hang up' as const), channel: fc.nat() }),
  fc.record({ do: fc.constant('number' as const), channel: fc.nat() }),
  fc.record({ do: fc.constant('wait' as const) }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

type Line = SnapshotChannel & { readonly other?: string; readonly presentation?: Presentation };

/** A PBX that keeps the truth in the plainest way: a list of channels, each with the bridge it is in. */
function createPbx() {
  let lines: Line[] = [];
  let count = 0;
  let now = 1_000;
  /** Callers who, at some moment, were connected with a phone that was picked up: by going from neighbour to neighbour. */
  const talked = new Set<string>();
  /** Everybody who ever called in. */
  const callersEver = new Map<string, Line>();

  const connected = (from: Line): Set<string> => {
    const reached = new Set([from.uniqueid]);
    for (let grown = true; grown; ) {
      grown = false;
      for (const a of lines) {
        if (!reached.has(a.uniqueid)) continue;
        for (const b of lines) {
          const bridged = a.bridge !== '' && a.bridge === b.bridge && !a.bridge.startsWith('park');
          if ((bridged || a.other === b.uniqueid) && !reached.has(b.uniqueid)) {
            reached.add(b.uniqueid);
            grown = true;
          }
        }
      }
    }
    return reached;
  };
  const look = () => {
    for (const caller of lines.filter((line) => line.context === 'from-trunk' && line.bridge !== ''))
      for (const uniqueid of connected(caller)) {
        const end = lines.find((line) => line.uniqueid === uniqueid);
        if (end?.state === 6 && end.channel.startsWith('PJSIP/100')) talked.add(caller.uniqueid);
      }
  };
  const add = (channel: string, more: Partial<Line>): Line => {
    count += 1;
    const uniqueid = more.uniqueid ?? `${1_763_618_000}.${count}`;
    const line: Line = {
      uniqueid,
      linkedid: uniqueid,
      channel: channel.replace('#', String(count).padStart(8, '0')),
      state: 0,
      context: 'from-internal',
      exten: 's',
      callerNumber: '',
      application: 'AppDial',
      bridge: '',
      ...more,
    };
    lines.push(line);
    return line;
  };
  const created = ({ bridge: _, application: __, other: ___, presentation: ____, ...seen }: Line): Input => ({
    type: 'channel-created',
    at: now,
    ...seen,
  });
  const pick = (index: number) => (lines.length === 0 ? undefined : lines[index % lines.length]);
  const replace = (line: Line, change: Partial<Line>) => {
    const changed = { ...line, ...change };
    lines = lines.map((each) => (each === line ? changed : each));
    return changed;
  };
  const left = (line: Line): Input[] =>
    line.bridge === ''
      ? []
      : [{ type: 'bridge-left', at: now, bridge: line.bridge, uniqueid: line.uniqueid }];

  const act = (what: Action): Input[] => {
    now += 100;
    switch (what.do) {
      case 'call in': {
        const { number: callerNumber, presentation } = what;
        const more = { state: 4, context: 'from-trunk', callerNumber, presentation, application: 'Dial' };
        const line = add('PJSIP/trunk-#', more);
        callersEver.set(line.uniqueid, line);
        return [created(line)];
      }
      case 'dial': {
        if (!what.via) return [created(add(`PJSIP/100${what.phone}-#`, { linkedid: 'of another' }))];
        const [one, two] = [`local${count}a`, `local${count}b`];
        const name = `Local/s@ring-${count}`;
        const pair = { linkedid: 'of another' };
        return [
          created(add(`${name};1`, { ...pair, uniqueid: one, other: two })),
          created(add(`${name};2`, { ...pair, uniqueid: two, other: one })),
        ];
      }
      case 'enter': {
        const line = pick(what.channel);
        const bridge = what.bridge === 0 ? 'park' : `bridge${what.bridge}`;
        if (line === undefined || line.bridge === bridge) return [];
        const inputs = left(line);
        replace(line, { bridge });
        look();
        const technology = bridge === 'park' ? 'holding_bridge' : 'simple_bridge';
        const { uniqueid, channel, callerNumber } = line;
        return [
          ...inputs,
          { type: 'bridge-entered', at: now, bridge, technology, uniqueid, channel, callerNumber },
        ];
      }
      case 'pick up': {
        const line = pick(what.channel);
        if (line === undefined) return [];
        const { uniqueid, channel, callerNumber } = replace(line, { state: 6 });
        look();
        return [{ type: 'channel-state', at: now, uniqueid, channel, state: 6, callerNumber }];
      }
      case 'leave': {
        const line = pick(what.channel);
        if (line === undefined) return [];
        replace(line, { bridge: '' });
        return left(line);
      }
      case 'hang up': {
        const line = pick(what.channel);
        if (line === undefined) return [];
        lines = lines.filter((each) => each !== line);
        return [...left(line), { type: 'hung-up', at: now, uniqueid: line.uniqueid, cause: 16 }];
      }
      case 'number': {
        const line = pick(what.channel);
        if (line === undefined) return [];
        const { uniqueid } = replace(line, { callerNumber: '0209876543' });
        return [
          { type: 'caller-number', at: now, uniqueid, callerNumber: '0209876543', presentation: 'allowed' },
        ];
      }
      case 'wait':
        now += 1_000;
        return [{ type: 'tick', at: now }];
    }
  };
  const snapshot = (): Input => ({
    type: 'snapshot',
    at: now,
    channels: lines.map(({ other: _, presentation: __, ...line }) => line),
    bridges: [{ bridge: 'park', technology: 'holding_bridge' }],
  });
  const size = () => lines.length;
  return {
    act,
    snapshot,
    talked,
    size,
    now: () => now,
    callersEver,
    presentationOf: (uniqueid: string) => callersEver.get(uniqueid)?.presentation ?? 'unknown',
  };
}

/**
 * Feeds inputs to two trackers side by side, which must want the same, and keeps what is reported by call, failing at the
 * first event that a call must not have. What the PBX is asked it answers with `answerAll`.
 */
function createEar(presentationOf: (uniqueid: string) => Presentation, rules = usualRules) {
  const fresh = (saved: Saved) => [
    createTracker(rules, structuredClone(saved)),
    createTracker(rules, structuredClone(saved)),
  ];
  let trackers = fresh({ calls: [], trunks: [] });
  let asked: string[] = [];
  const numbers = new Map<string, Set<string>>();
  const reported = new Map<string, CallStatus[]>();
  const saved = new Map<string, OpenCall>();
  const hear = (input: Input): void => {
    const [effects = [], same] = trackers.map(({ apply }) => apply(input));
    assert.deepEqual(same, effects);
    for (const effect of effects) {
      if (effect.type === 'ask') asked.push(effect.uniqueid);
      if (effect.type === 'save') saved.set(effect.call.id, effect.call);
      if (effect.type === 'free') saved.delete(effect.id);
      if (effect.type !== 'report') continue;
      const before = reported.get(effect.id) ?? [];
      const last = before.at(-1);
      const forward =
        last === undefined
          ? effect.status === 'ringing'
          : callStatuses.indexOf(effect.status) > callStatuses.indexOf(last);
      assert.ok(forward, `${effect.id}: ${effect.status} after ${last}`);
      reported.set(effect.id, [...before, effect.status]);
      numbers.set(effect.id, (numbers.get(effect.id) ?? new Set()).add(effect.from));
    }
  };
  const answerAll = (at: number): void => {
    for (const uniqueid of asked.splice(0))
      hear({ type: 'presentation', at, uniqueid, presentation: presentationOf(uniqueid), dnid: '123' });
  };
  /** kill -9 and start again: all that is left is what was saved. */
  const restart = () => {
    const calls = JSON.parse(JSON.stringify([...saved.values()])) as OpenCall[];
    trackers = fresh({ calls, trunks: [...state().trunks.values()] });
    asked = [];
  };
  const state = () => (trackers[0] as (typeof trackers)[0]).state;
  return { hear, answerAll, restart, reported, numbers, saved, state };
}

function assertNothingLeft({ state, saved }: ReturnType<typeof createEar>): void {
  const { channels, locals, bridges, calls, waitingForNumber } = state();
  assert.deepEqual(
    [channels.size, locals.size, bridges.size, calls.size, waitingForNumber.size, saved.size],
    [0, 0, 0, 0, 0, 0],
    'memory is not freed',
  );
}

const RUNS = { numRuns: 3_000 };

test('heard whole, every call is reported once, in order, and answered if and only if the caller talked with somebody', () => {
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 60 }),
      fc.array(fc.boolean(), { maxLength: 60 }),
      fc.array(fc.boolean(), { maxLength: 60 }),
      (actions, twice, answersLate) => {
        const pbx = createPbx();
        const ear = createEar(pbx.presentationOf);
        actions.forEach((what, index) => {
          // The PBX answers after what happened next at the latest, and well before a second is over.
          if (what.do === 'wait' || answersLate[index - 1] === true) ear.answerAll(pbx.now());
          for (const input of pbx.act(what)) {
            ear.hear(input);
            if (twice[index] === true) ear.hear(input);
          }
          if (answersLate[index] !== true) ear.answerAll(pbx.now());
        });
        ear.answerAll(pbx.now());
        while (pbx.size() > 0) for (const input of pbx.act({ do: 'hang up', channel: 0 })) ear.hear(input);
        for (const [uniqueid, { presentation, callerNumber }] of pbx.callersEver) {
          const numbers = [...(ear.numbers.get(`pbx-${uniqueid}`) ?? [])];
          const isWithheld = presentation === 'prohibited' || callerNumber === 'anonymous';
          if (isWithheld) assert.deepEqual(numbers, ['+31000000000'], 'a withheld number is reported');
          else if (callerNumber !== '' && presentation === 'allowed')
            assert.deepEqual(numbers, ['+31201234567'], 'not the number that the trunk presented');
        }
        const expected = [...pbx.callersEver.keys()].map((uniqueid) => [
          `pbx-${uniqueid}`,
          pbx.talked.has(uniqueid) ? ['ringing', 'answered', 'completed'] : ['ringing', 'completed'],
        ]);
        assert.deepEqual(Object.fromEntries(ear.reported), Object.fromEntries(expected));
        assertNothingLeft(ear);
      },
    ),
    RUNS,
  );
});

test('with events lost, swapped and repeated, and a snapshot or restart anywhere, no call goes back, ends twice or stays', () => {
  const noise = fc.record({
    what: action,
    lost: fc.boolean(),
    next: fc.constantFrom('nothing', 'nothing', 'nothing', 'swap', 'repeat', 'snapshot', 'restart'),
  });
  fc.assert(
    fc.property(fc.array(noise, { maxLength: 60 }), fc.constantFrom(...someRules), (steps, table) => {
      const pbx = createPbx();
      const reportRules = table.split(', ').flatMap((rule) => readReportRule(rule) ?? []);
      const ear = createEar(pbx.presentationOf, createRules({ ...settings, reportRules }));
      let late: Input[] = [];
      for (const { what, lost, next } of steps) {
        const inputs = pbx.act(what);
        if (next === 'swap') {
          late = inputs;
          continue;
        }
        if (!lost) inputs.forEach(ear.hear);
        late.forEach(ear.hear);
        if (next === 'repeat') inputs.forEach(ear.hear);
        ear.answerAll(pbx.now());
        if (next === 'restart') ear.restart();
        if (next === 'restart' || next === 'snapshot') ear.hear(pbx.snapshot());
        late = [];
      }
      // The link comes back, and then everybody hangs up.
      ear.hear(pbx.snapshot());
      ear.answerAll(pbx.now());
      while (pbx.size() > 0) for (const input of pbx.act({ do: 'hang up', channel: 0 })) ear.hear(input);
      ear.hear({ type: 'snapshot', at: 1e9, channels: [], bridges: [] });
      for (const [id, statuses] of ear.reported)
        assert.equal(statuses.at(-1), 'completed', `${id} stays open`);
      if (ignoringAll.includes(table)) assert.equal(ear.reported.size, 0);
      assertNothingLeft(ear);
    }),
    RUNS,
  );
});
