import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallExtras } from '../../shared/api/contract/call-extras.ts';
import type { Effect } from './effect.ts';
import type { Input } from './input.ts';
import { readOpenCall } from './open-call.ts';
import {
  at,
  becomes,
  caller,
  callerAs,
  conference,
  created,
  dialled,
  enters,
  gone,
  hangsUp,
  heard,
  join,
  leaves,
  local,
  parking,
  phone,
  phoneAs,
  play,
  ringingPhone,
  row,
  type Setup,
  snapshot,
  tick,
} from './tracker.fixture.ts';

/** The inputs happen so many seconds after the call began. */
const after = (seconds: number, ...inputs: (Input | Input[])[]): Input[] =>
  inputs.flat().map((input) => ({ ...input, at: at + seconds * 1_000 }));

/** Its DialBegin has come. */
const dial = (leg: Channel): Input => dialled(leg, '');
/** It is dialled and rings. */
const rings = (leg: Channel): Input[] => [{ ...leg, state: 5 }, dial(leg)];
type Channel = ReturnType<typeof created>;

const [anna, ben] = [created('1.5', 'PJSIP/101-00000005'), created('1.6', 'PJSIP/102-00000006')];
const ends = (seconds: number) => after(seconds, hangsUp(caller));

type Told = Pick<Extract<Effect, { type: 'who' }>, 'rings' | 'talks'>;

/** What the last event says of who rang and talked, in seconds; and what was told in between. */
function who(inputs: Inputs, setup?: Setup) {
  const { effects } = play(inputs, setup);
  const reports = effects.filter(({ type }) => type === 'report') as { extras: CallExtras; status: string }[];
  const { rang, talked } = reports.at(-1)?.extras ?? {};
  const told = effects.flatMap((effect): Told[] => {
    if (effect.type !== 'who') return [];
    return [{ rings: effect.rings, talks: effect.talks }];
  });
  const s = (ms: number) => ms / 1_000;
  return {
    rang: rang?.map((one) => [one.by, s(one.from), s(one.for)]),
    talked: talked?.map(({ by, from, to }) => [by, s(from), ...(to === undefined ? [] : [s(to)])]),
    told: told.map(({ rings, talks }) => `${rings} | ${talks}`),
    first: reports[0]?.extras.rang,
    answered: reports.find(({ status }) => status === 'answered')?.extras,
  };
}
type Inputs = readonly Input[][];

describe('who rings', () => {
  test('a phone that rings until it is answered', () => {
    const found = who([
      [caller],
      after(2, anna, dial(anna)),
      after(3, becomes(anna, 'ringing')),
      after(10, becomes(anna, 'up')),
      after(10, ...join('b', anna, caller)),
      ends(30),
    ]);
    assert.deepEqual(found.first, [], 'this bridge says who rings, and nobody has yet');
    assert.deepEqual(found.answered?.rang, [{ by: '101', from: 3_000, for: 7_000 }]);
    assert.equal(found.answered?.talked, undefined);
    assert.deepEqual(found.rang, [['101', 3, 7]]);
    assert.deepEqual(found.talked, [['101', 10, 30]]);
    assert.deepEqual(found.told, ['101 | ', ' | ', ' | 101']);
  });

  test('hunting: each who rang, once, with how long in all', () => {
    const again = created('1.8', 'PJSIP/101-00000008', 5);
    const found = who([
      [caller],
      after(1, rings(anna)),
      after(16, hangsUp(anna), rings(ben)),
      after(36, hangsUp(ben), rings(again)),
      after(40, hangsUp(again)),
      ends(41),
    ]);
    assert.deepEqual(found.rang, [
      ['101', 1, 19],
      ['102', 16, 20],
    ]);
    assert.equal(found.talked, undefined);
  });

  test('a person with two phones rings while one of them does', () => {
    const other = created('1.8', 'PJSIP/101-00000008', 5);
    const found = who([
      [caller],
      after(1, rings(anna)),
      after(2, rings(other)),
      after(5, hangsUp(anna)),
      after(9, hangsUp(other)),
      ends(9),
    ]);
    assert.deepEqual(found.rang, [['101', 1, 8]]);
  });

  test('a phone that never rings, a Local channel and a machine are nobody', () => {
    const busy = [after(1, anna), after(2, hangsUp(anna))];
    assert.deepEqual(who([[caller], ...busy, ends(3)]).rang, []);
    assert.deepEqual(who([[caller], after(1, rings(local[0])), ends(3)]).rang, []);
    const bot = { settings: { notAPerson: ['PJSIP/101'] } };
    assert.deepEqual(who([[caller], after(1, rings(anna)), ends(3)], bot).rang, []);
  });

  test('a phone that Page() has dialled is nobody, also over Local channels and when it rings last', () => {
    const [outer, inner] = [
      local,
      [created('1.7', 'Local/x@y-00000003;1'), created('1.8', 'Local/x@y-00000003;2')],
    ] as const;
    const by = (leg: Channel, { uniqueid }: Channel): Input[] => [
      { ...leg, state: 5 },
      { ...dialled(leg, ''), by: uniqueid },
    ];
    const page = (leg: Channel): Input => ({
      ...enters(conference, leg),
      ...{ creator: 'ConfBridge', bridgeName: '1509541301', context: 'from-internal', exten: 's' },
    });
    const paging = [[caller, enters(conference, caller)], after(1, [...outer], rings(outer[0]))];
    const overLocal = [...paging, after(2, by(anna, outer[1]))];
    assert.deepEqual(who([[caller], after(1, rings(anna)), after(3, page(anna)), ends(9)]).rang, []);
    assert.deepEqual(who([...overLocal, after(3, page(outer[0])), ends(9)]).rang, []);
    assert.deepEqual(
      who([...paging, after(2, page(outer[0])), after(3, by(anna, outer[1])), ends(9)]).rang,
      [],
    );
    const twice = [after(2, [...inner]), after(2, by(inner[0], outer[1])), after(2, by(anna, inner[1]))];
    assert.deepEqual(who([...paging, ...twice, after(3, page(outer[0])), ends(9)]).rang, []);
    const other = [...overLocal, after(2, rings(ben)), after(3, page(outer[0])), ends(9)];
    assert.deepEqual(who(other).rang, [['102', 2, 7]]);
  });

  test('who comes and goes very often: what is not in the list any more takes nobody else’s time', () => {
    const up = (leg: Channel) => ({ ...leg, state: 6 });
    const both = [caller, enters(conference, caller), up(anna), up(ben)];
    const annaTalks = [after(1, enters(conference, anna)), after(5, leaves('c', anna))];
    const stints = Array.from({ length: 49 }, (_, n) => [
      after(10 * (n + 1), enters(conference, ben)),
      after(10 * (n + 1) + 5, leaves('c', ben)),
    ]).flat();
    const { talked = [] } = who([
      both,
      ...annaTalks,
      ...stints,
      after(500, enters(conference, anna)),
      ends(520),
    ]);
    assert.equal(talked.length, 50);
    assert.deepEqual(talked[0], ['101', 1, 5]);
  });

  test('a phone that says nothing, or 183, rings a second after it was dialled', () => {
    const isDialled = [[caller], after(1, anna, dial(anna))];
    assert.deepEqual(who([...isDialled, after(2, tick(0)), after(9, becomes(anna, 'up')), ends(9)]).rang, [
      ['101', 2, 7],
    ]);
    assert.deepEqual(who([...isDialled, after(1.9, tick(0)), after(1.9, hangsUp(anna)), ends(9)]).rang, []);
    const late = [after(2, tick(0)), after(3, becomes(anna, 'ringing')), after(9, hangsUp(anna))];
    assert.deepEqual(who([...isDialled, ...late, ends(9)]).rang, [['101', 2, 7]], 'one ring');
    const taken = [after(1.5, becomes(anna, 'up')), after(2, tick(0))];
    assert.deepEqual(who([...isDialled, ...taken, ends(9)]).rang, [], 'it answers at once');
  });

  describe('for whom a leg is dialled, where its Linkedid is that of another channel', () => {
    const rungBy = (leg: Channel, by: { uniqueid: string }): Input[] => [
      { ...leg, linkedid: '0.9', state: 5 },
      { ...dialled(leg, ''), by: by.uniqueid },
    ];
    const agent = { ...created('0.9', 'PJSIP/109-00000001', 6), linkedid: '0.9' };
    const talks = [[agent], [caller], after(5, ...join('b', agent, caller))];
    const leaves2 = after(9, leaves('b', caller), leaves('b', agent));

    test('the caller who was connected with an older channel dials', () => {
      assert.deepEqual(who([...talks, leaves2, after(10, rungBy(ben, caller)), ends(15)]).rang, [
        ['102', 10, 5],
      ]);
    });

    test('the phone that has the caller dials, on a channel that is older', () => {
      assert.deepEqual(who([...talks, leaves2, after(10, rungBy(ben, agent)), ends(15)]).rang, [
        ['102', 10, 5],
      ]);
      const before = who([[agent], [caller], after(1, rungBy(ben, agent)), ends(15)]);
      assert.deepEqual(before.rang, [], 'before that it dials for nobody who calls in');
      const handedOn = after(9, leaves('b', agent), { ...anna, state: 6 }, enters('b', anna));
      const later = who([...talks, handedOn, after(10, rungBy(ben, agent)), ends(15)]);
      assert.deepEqual(later.rang, [], 'nor once somebody else has the caller');
    });

    test('a Local channel dials, which the caller has dialled or is connected with', () => {
      const halves = local.map((half) => ({ ...half, linkedid: '0.9' }));
      const first = [halves, { ...dialled(local[0], ''), by: caller.uniqueid }].flat();
      assert.deepEqual(who([...talks, after(9, first), after(10, rungBy(ben, local[1])), ends(15)]).rang, [
        ['102', 10, 5],
      ]);
      const connected = [...halves, enters('b', local[0])];
      assert.deepEqual(
        who([...talks, after(9, connected), after(10, rungBy(ben, local[1])), ends(15)]).rang,
        [['102', 10, 5]],
      );
    });

    test('of two callers who were connected, the one who dials', () => {
      const second = { ...callerAs('2.1'), callerNumber: '0207654321' };
      const found = who([
        [caller, second],
        after(5, ...join(conference, caller, second)),
        after(9, leaves('c', second), { ...anna, state: 5 }, { ...dial(anna), by: '2.1' } as Input),
        after(12, hangsUp(caller)),
      ]);
      assert.deepEqual(found.rang, [], 'of the first caller');
    });

    test("a phone's second line hands the caller on while it rings: from then on it rings for the caller", () => {
      const line = { ...created('3.1', 'PJSIP/101-00000007', 4), linkedid: '3.1' };
      const asked = { ...ben, linkedid: '3.1' };
      const handsOn: Input = { type: 'transferred', at, uniqueid: '1.1', replaces: '3.1' };
      const found = who([
        [caller],
        after(5, { ...anna, state: 6 }, ...join('b', anna, caller)),
        after(6, line, { ...asked, state: 5 }, { ...dialled(asked, ''), by: '3.1' }),
        after(9, handsOn, leaves('b', anna), hangsUp(anna), leaves('b', caller), hangsUp(line)),
        after(13, hangsUp(asked)),
        ends(15),
      ]);
      assert.deepEqual(found.rang, [['102', 9, 4]]);
      assert.deepEqual(found.told, [' | 101', '102 | 101', '102 | ', ' | ']);
    });

    test('a leg that turns out to be dialled for another caller rings no more for the first', () => {
      const second = { ...callerAs('2.1'), callerNumber: '0207654321' };
      const found = who([
        [caller, second],
        after(1, rings(anna)),
        after(4, { ...dialled(anna, ''), by: '2.1' }),
        after(12, hangsUp(caller)),
      ]);
      assert.deepEqual(found.rang, [['101', 1, 3]]);
    });
  });

  test('a mobile rings from when it is dialled: its provider need not say so', () => {
    const mobile = created('1.9', 'PJSIP/provider-00000009');
    const setup = {
      saved: { calls: [], trunks: [heard('PJSIP/provider')] },
      settings: { defaultCountry: 'NL' },
    } as const;
    const begins = dialled(mobile, 'provider/sip:+491713920011@10.0.0.1');
    const found = who(
      [[caller], after(1, mobile), after(2, begins), after(9, hangsUp(mobile)), ends(10)],
      setup,
    );
    assert.deepEqual(found.rang, [['+491713920011', 2, 7]]);
    const [soon, later] = [0, 1].map((s) => [
      [caller],
      after(2, mobile, begins),
      after(2 + s, hangsUp(mobile)),
      ends(5),
    ]) as [Input[][], Input[][]];
    assert.deepEqual(who(soon, setup).rang, [], 'the trunk has refused the call at once');
    assert.deepEqual(who(later, setup).rang, [['+491713920011', 2, 1]]);
    const again = { ...mobile, uniqueid: '10.1', channel: 'PJSIP/provider-0000000a' };
    const twice = [
      after(2, mobile, begins),
      after(9, hangsUp(mobile), again, dialled(again, begins.dialString)),
    ];
    assert.deepEqual(who([[caller], ...twice, after(9, hangsUp(again)), ends(10)], setup).rang, [
      ['+491713920011', 2, 7],
    ]);
  });

  test('Asterisk says that a leg rings before it says that it goes out over a trunk', () => {
    const mobile = created('1.9', 'PJSIP/provider-00000009', 5);
    const begins = dialled(mobile, 'provider/sip:+491713920011@10.0.0.1');
    const found = who([[caller], after(1, mobile), after(2, begins), after(9, hangsUp(mobile)), ends(10)]);
    assert.deepEqual(found.rang, [['+491713920011', 2, 7]]);
  });

  test('those who still ring when the caller hangs up rang until then', () => {
    assert.deepEqual(who([[caller], after(1, rings(anna)), ends(6)]).rang, [['101', 1, 5]]);
  });

  test('at most 50 people', () => {
    const phones = Array.from({ length: 60 }, (_, n) => created(`5.${n}`, `PJSIP/2${n}-00000001`, 5));
    assert.equal(who([[caller], after(1, ...phones.map(rings)), ends(6)]).rang?.length, 50);
  });

  test('a phone whose leg is gone after a gap rings no more, and one that is there rings on', () => {
    const there = [
      row('1.1', caller.channel, { state: 4 }),
      row('1.6', ben.channel, { state: 5, callerNumber: '' }),
    ];
    const found = who([
      [caller],
      after(1, rings(anna), rings(ben)),
      after(5, snapshot(there)),
      after(9, hangsUp(ben)),
      ends(9),
    ]);
    assert.deepEqual(found.rang, [
      ['101', 1, 4],
      ['102', 1, 8],
    ]);
  });
});

describe('who talked', () => {
  test('a transfer: one after the other, also while nobody is there', () => {
    const found = who([
      [caller],
      after(5, { ...anna, state: 6 }, ...join('b', anna, caller)),
      after(25, leaves('b', caller), hangsUp(anna)),
      after(26, rings(ben)),
      after(31, becomes(ben, 'up'), ...join('c', ben, caller)),
      ends(60),
    ]);
    assert.deepEqual(found.talked, [
      ['101', 5, 25],
      ['102', 31, 60],
    ]);
    assert.deepEqual(found.rang, [['102', 26, 5]]);
    assert.deepEqual(found.told, [' | 101', ' | ', '102 | ', ' | ', ' | 102']);
  });

  test('an attended transfer: Ben takes the place of Anna in the bridge', () => {
    const found = who([
      [caller],
      after(5, { ...anna, state: 6 }, ...join('b', anna, caller)),
      after(25, { ...ben, linkedid: '7.1', state: 6 }, leaves('b', anna), enters('b', ben)),
      after(60, leaves('b', ben)),
      ends(61),
    ]);
    assert.deepEqual(found.talked, [
      ['101', 5, 25],
      ['102', 25, 60],
    ]);
  });

  test('parking: nobody has the caller while it is parked', () => {
    const found = who([
      [caller],
      after(5, { ...anna, state: 6 }, ...join('b', anna, caller)),
      after(20, leaves('b', caller), enters(parking, caller)),
      after(50, leaves('p', caller), enters('b', caller)),
      ends(60),
    ]);
    assert.deepEqual(found.talked, [
      ['101', 5, 20],
      ['101', 50, 60],
    ]);
  });

  test('a conference: several at once', () => {
    const found = who([
      [caller],
      after(5, { ...anna, state: 6 }, enters(conference, anna), enters(conference, caller)),
      after(20, { ...ben, state: 6 }, enters(conference, ben)),
      after(30, leaves('c', anna)),
      ends(60),
    ]);
    assert.deepEqual(found.talked, [
      ['101', 5, 30],
      ['102', 20, 60],
    ]);
  });

  test('Asterisk moves a call to another bridge: they talk on', () => {
    const found = who([
      [caller],
      after(5, { ...anna, state: 6 }, ...join('b', anna, caller)),
      after(20, leaves('b', caller), leaves('b', anna)),
      after(20.2, ...join('c', anna, caller)),
      ends(60),
    ]);
    assert.deepEqual(found.talked, [['101', 5, 60]]);
  });

  test('the far half of a Local channel leaves', () => {
    const chain = [
      ...local,
      { ...anna, state: 6 },
      ...join('b', caller, local[0]),
      ...join('c', local[1], anna),
    ];
    assert.deepEqual(who([[caller], after(5, ...chain), after(9, leaves('c', local[1])), ends(20)]).talked, [
      ['101', 5, 9],
    ]);
  });

  test('an end that was not observed is left out', () => {
    const talk = [[caller], after(5, { ...anna, state: 6 }, ...join('b', anna, caller))];
    assert.deepEqual(who([...talk, after(60, gone)]).talked, [['101', 5]]);
  });

  test('nothing is said of a call that was found in progress: another bridge may know more', () => {
    const there = [
      row('1.1', caller.channel, { bridge: 'b', context: 'from-trunk' }),
      row('1.2', phone.channel, { bridge: 'b' }),
    ];
    const found = who([after(5, snapshot(there, [{ bridge: 'b', technology: 'simple_bridge' }])), ends(60)]);
    assert.deepEqual([found.rang, found.talked], [undefined, undefined]);
  });
});

describe('a restart', () => {
  const heardBefore = [
    [caller],
    after(1, rings(ringingPhone)),
    after(5, becomes(phone, 'up'), ...join('b', phone, caller)),
  ];
  const saved = () => {
    const { state } = play(heardBefore);
    const [call] = state.calls.values();
    const read = readOpenCall(JSON.stringify(call));
    assert.ok(read);
    return { calls: [read], trunks: [heard('PJSIP/trunk')] };
  };
  const there = [row('1.1', caller.channel, { bridge: 'b' }), row('1.2', phone.channel, { bridge: 'b' })];
  const bridges = [{ bridge: 'b', technology: 'simple_bridge' }];

  test('who rang and talked before it is known after it', () => {
    const found = who([after(20, snapshot(there, bridges)), ends(60)], { saved: saved() });
    assert.deepEqual([found.rang, found.talked], [[['1001', 1, 4]], [['1001', 5, 60]]]);
  });

  test('whoever is gone after it left at an unknown time', () => {
    const other = phoneAs('1007', '1.2');
    const found = who(
      [
        after(20, snapshot([there[0] as never, row('1.2', other.channel, { bridge: 'b' })], bridges)),
        ends(60),
      ],
      { saved: saved() },
    );
    assert.deepEqual(found.talked, [
      ['1001', 5],
      ['1007', 20, 60],
    ]);
  });

  test('a phone that rings before it and after it has rung, and rings', () => {
    const beforeIt = play([[caller], after(1, rings(ringingPhone))]);
    const call = [...beforeIt.state.calls.values()].map((one) => readOpenCall(JSON.stringify(one)));
    const setup = { saved: { calls: call.filter((one) => one !== undefined), trunks: [] } };
    assert.deepEqual(setup.saved.calls[0]?.rang, [{ by: '1001', from: 1_000, for: 0 }], 'it was saved');
    const caller4 = row('1.1', caller.channel, { state: 4 });
    const rung = (state: number) =>
      row('1.2', phone.channel, { state, application: 'AppDial', callerNumber: '' });
    const on = who(
      [after(10, snapshot([caller4, rung(5)])), after(15, hangsUp(ringingPhone)), ends(20)],
      setup,
    );
    assert.deepEqual([on.rang, on.told], [[['1001', 1, 5]], ['1001 | ', ' | ']]);
    const silent = who([after(10, snapshot([caller4, rung(0)])), after(11, tick(0)), ends(20)], setup);
    assert.deepEqual(silent.told, [' | ', '1001 | ']);
    const gone = who([after(10, snapshot([caller4])), ends(20)], setup);
    assert.deepEqual([gone.rang, gone.told], [[['1001', 1, 0]], [' | ']], 'it is taken back');
  });

  test('what was told before it is told again, once', () => {
    const { told } = who([after(20, snapshot(there, bridges)), after(30, snapshot(there, bridges))], {
      saved: saved(),
    });
    assert.deepEqual(told, [' | 1001']);
  });

  test('an open call that 1.0.0 has saved is read', () => {
    const text =
      '{"id":"pbx-1.1","uniqueid":"1.1","called":"s","did":"s","line":"PJSIP/trunk","began":1000,"number":"known","numberBy":2000,"from":"+31201234567","reported":"answered","answer":{"by":"1.2","callerId":"1001"}}';
    const call = readOpenCall(text);
    assert.ok(call);
    const found = who([after(20, snapshot(there, bridges)), ends(60)], {
      saved: { calls: [call], trunks: [heard('PJSIP/trunk')] },
    });
    assert.deepEqual(found.talked, [['1001', 20, 60]]);
  });
});
