import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NumberToLookUp } from '../agi/agi.ts';
import type { Input, Presentation } from '../calls/input.ts';
import type { OpenCall } from '../calls/open-call.ts';
import { type CallSettings, createRules } from '../calls/rules.ts';
import { caller, hangsUp, number, phone, saysOf, state, tick } from '../calls/tracker.fixture.ts';
import { createTracker } from '../calls/tracker.ts';
import { readTrunkNotation } from '../phone-number/trunk-notation.ts';
import { createLookupPermissions } from './lookup-permission.ts';

const callSettings: CallSettings = {
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*'],
  inboundChannels: [],
  defaultCountry: 'NL',
  answeredBy: 'endpoint',
};

/** The number that may be looked up, or why none may. */
const shown = (it: NumberToLookUp) => (typeof it === 'string' ? it : it.number);
const caller1 = '+31201234567';

/** Permissions beside a tracker, on a clock of the test's own. */
function stand({
  settings = {} as Partial<CallSettings>,
  /** Open calls from before a restart. */
  calls = [] as OpenCall[],
} = {}) {
  const tracker = createTracker(createRules({ ...callSettings, ...settings }), { calls, trunks: [] });
  let timers: { at: number; callback: () => void }[] = [];
  let now = 0;
  /** The questions to calls themselves, and their answers. */
  const asked: PromiseWithResolvers<Presentation>[] = [];
  const permissions = createLookupPermissions({
    state: () => tracker.state,
    setTimer(callback, ms) {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  });
  const pass = (ms: number) => {
    now += ms;
    for (const { at, callback } of timers) if (at <= now) callback();
  };
  const apply = (...inputs: Input[]) => {
    for (const input of inputs) {
      tracker.apply(input);
      permissions.review();
    }
  };
  const ask = (uniqueid: string, given = '0201234567', isOwn = true) => {
    const answer = permissions.permit(
      { uniqueid, channel: 'PJSIP/trunk-00000001', number: given, isOwn },
      375,
      () => {
        const question = Promise.withResolvers<Presentation>();
        asked.push(question);
        return question.promise;
      },
    );
    return answer instanceof Promise ? answer.then(shown) : shown(answer);
  };
  const callSays = (presentation: Presentation) => asked.at(-1)?.resolve(presentation);
  return { apply, ask, pass, callSays, questions: () => asked.length, timers: () => timers.length };
}

describe('the caller whose channel asks', () => {
  for (const [said, permission] of [
    ['allowed', caller1],
    ['prohibited', 'withheld'],
  ] as const) {
    test(`has said: ${said}`, () => {
      const { apply, ask, timers } = stand();
      apply(caller(), saysOf('1.1', said));
      assert.equal(ask('1.1'), permission);
      assert.equal(ask('1.1', '00201234567'), permission, 'also as the dialplan has rewritten it');
      assert.equal(timers(), 0);
    });

    test(`says later: ${said}`, async () => {
      const { apply, ask, timers } = stand();
      apply(caller());
      const answer = ask('1.1');
      apply(phone(), saysOf('1.1', said));
      assert.equal(await answer, permission);
      assert.equal(timers(), 0, 'no timer is left');
    });

    test(`asks before its Newchannel has come, and the call itself says: ${said}`, async () => {
      const { apply, ask, callSays, timers } = stand();
      const answer = ask('1.1');
      apply(phone());
      callSays(said);
      assert.equal(await answer, permission);
      assert.equal(timers(), 0, 'no timer is left');
    });
  }

  test('does not ring yet', async () => {
    const { apply, ask } = stand();
    apply(caller({ state: 0 } as never));
    const answer = ask('1.1');
    apply(state('1.1', 4), saysOf('1.1', 'prohibited'));
    assert.equal(await answer, 'withheld');
  });

  test('is not asked about in time', async () => {
    const { apply, ask, pass } = stand();
    apply(caller());
    const answer = ask('1.1');
    pass(375);
    assert.equal(await answer, 'pending');
  });

  test('is gone before the PBX has said', async () => {
    const { apply, ask, pass } = stand();
    apply(caller());
    const answer = ask('1.1');
    apply(hangsUp('1.1'), tick(1_000));
    pass(375);
    assert.equal(await answer, 'pending');
  });

  test('is known when the call itself says that it allows the number: the tracker decides', async () => {
    const { apply, ask, callSays } = stand({ settings: { reportedNumber: 'trunk' } });
    const answer = ask('1.1', '00201234567');
    apply(caller());
    callSays('allowed');
    await Promise.resolve();
    apply(saysOf('1.1', 'allowed'));
    assert.equal(await answer, caller1, 'the number as it is reported');
  });

  test('is a phone of ours', async () => {
    const { apply, ask, callSays } = stand();
    apply(phone());
    const answer = ask('1.2', '1001');
    callSays('allowed');
    assert.equal(await answer, '1001');
  });
});

describe('a number that the dialplan gives', () => {
  test('is that of no caller', () => {
    const { apply, ask } = stand();
    apply(caller(), saysOf('1.1', 'prohibited'));
    assert.equal(ask('1.1', '0207654321', false), '+31207654321');
  });

  for (const [how, given] of [
    ['as it was presented', '0201234567'],
    ['in full', '+31201234567'],
    ['as the dialplan rewrote it', '00201234567'],
  ] as const)
    test(`is the one that its own caller withholds, ${how}`, () => {
      const { apply, ask } = stand();
      apply(caller(), number('1.1', '00201234567'), saysOf('1.1', 'prohibited'));
      assert.equal(ask('1.1', given, false), 'withheld');
    });

  for (const [why, shows] of [
    ['its channel does not ring yet', { state: 0 }],
    ['its number has not come yet', { callerNumber: '' }],
  ] as const)
    test(`may be the one that its own caller withholds: ${why}`, async () => {
      const { apply, ask, callSays } = stand();
      apply(caller(shows as never));
      const answer = ask('1.1', '0201234567', false);
      callSays('prohibited');
      assert.equal(await answer, 'withheld');
      const other = ask('1.1', '0201234567', false);
      callSays('allowed');
      assert.equal(await other, caller1);
    });

  test('is one that another call withholds: a Local channel of it, say', async () => {
    const { apply, ask } = stand();
    apply(phone(), caller());
    const answer = ask('1.2');
    apply(saysOf('1.1', 'prohibited'));
    assert.equal(await answer, 'withheld');
    assert.equal(ask('1.2'), 'withheld');
  });

  test('is another, and the channel is heard of only later', async () => {
    const { apply, ask, callSays } = stand();
    const answer = ask('1.1', '0207654321', false);
    apply(caller());
    callSays('allowed');
    assert.equal(await answer, '+31207654321');
  });
});

describe('the number that is looked up is the one that is reported', () => {
  const trunkNumbers = [readTrunkNotation('PJSIP/trunk-*:national:strip=9')].filter((it) => it !== undefined);
  const shows = caller({ callerNumber: '931201234567' } as never);
  const national = '+3131201234567';

  for (const [how, given, isOwn] of [
    ['as the dialplan has rewritten it', '00201234567', true],
    ['with a text in its place', 'Reception', true],
    ['given by the dialplan as the trunk presented it', '931201234567', false],
    ['given by the dialplan as it has rewritten it', '0931201234567', false],
  ] as const)
    test(`of the channel's own caller, ${how}`, () => {
      const { apply, ask } = stand({ settings: { trunkNumbers } });
      apply(shows, saysOf('1.1', 'allowed'));
      assert.equal(ask('1.1', given, isOwn), national);
    });

  test("of another call's caller, on a Local channel", () => {
    const { apply, ask } = stand({ settings: { trunkNumbers } });
    apply(phone(), shows, saysOf('1.1', 'allowed'), number('1.1', '00442079460123'));
    assert.equal(ask('1.2', '931201234567'), national);
    assert.equal(ask('1.2', '00442079460123'), national);
  });

  test('of a call of which nothing is known is read as its trunk writes it', async () => {
    const { ask, callSays } = stand({ settings: { trunkNumbers } });
    const own = ask('9.9', '931201234567');
    callSays('allowed');
    assert.equal(await own, national);
    const given = ask('9.9', '31201234567', false);
    callSays('allowed');
    assert.equal(await given, '+31201234567', 'but not what the dialplan gives');
  });

  test("is the dialplan's as it has made it by then, where that is reported", () => {
    const { apply, ask } = stand({ settings: { reportedNumber: 'dialplan', trunkNumbers } });
    apply(shows, saysOf('1.1', 'allowed'), number('1.1', '00442079460123'));
    assert.equal(ask('1.1', '00442079460123'), '+442079460123');
    assert.equal(ask('1.1', '931201234567'), national, 'before it has');
  });

  test('is none where the caller has none', () => {
    const { apply, ask } = stand({ settings: { missingNumber: '+31999999999' } });
    apply(caller({ callerNumber: 'alice7' } as never));
    assert.equal(ask('1.1', 'alice7'), '');
    apply(tick(1_000));
    assert.equal(ask('1.1', 'alice7'), '');
  });

  test('is one that the dialplan has just set: not before the PBX says that it may be shown', async () => {
    const { apply, ask } = stand();
    apply(caller({ callerNumber: '' } as never), tick(1_000));
    const answer = ask('1.1');
    apply(number('1.1', '0201234567'), saysOf('1.1', 'allowed'));
    assert.equal(await answer, caller1);
  });

  test('is none where zeros stand for it', async () => {
    const { ask, callSays } = stand();
    const answer = ask('', '0000000000', false);
    callSays('allowed');
    assert.equal(await answer, '');
  });
});

describe('a channel of which no event comes, as without a link to the PBX: the call itself', () => {
  for (const [said, permission] of [
    ['allowed', caller1],
    ['unavailable', caller1],
    ['prohibited', 'withheld'],
    ['unknown', 'pending'],
  ] as const)
    for (const uniqueid of ['9.9', ''])
      test(`${uniqueid === '' ? 'sends no Uniqueid, and ' : ''}says: ${said}`, async () => {
        const { ask, callSays, timers } = stand();
        const answer = ask(uniqueid);
        callSays(said);
        assert.equal(await answer, permission);
        assert.equal(timers(), 0);
      });

  test('does not say it in time', async () => {
    const { ask, pass, callSays } = stand();
    const answer = ask('9.9');
    pass(375);
    assert.equal(await answer, 'pending');
    callSays('allowed');
    assert.equal(await answer, 'pending');
  });

  test('withholds a number that another call shows', async () => {
    const { apply, ask, callSays } = stand();
    apply(caller(), saysOf('1.1', 'allowed'));
    assert.equal(ask('1.1'), caller1);
    const answer = ask('9.9');
    callSays('prohibited');
    assert.equal(await answer, 'withheld');
  });

  test('is over for the tracker, and still asks', async () => {
    const { apply, ask, callSays } = stand();
    apply(caller(), hangsUp('1.1'), saysOf('1.1', 'unknown'));
    const answer = ask('1.1');
    callSays('prohibited');
    assert.equal(await answer, 'withheld');
  });

  for (const [number, permission, questions] of [
    ['awaited', 'withheld', 1],
    ['withheld', 'withheld', 0],
    ['known', caller1, 0],
  ] as const)
    test(`is open since before a restart, its number ${number}`, async () => {
      const saved = { id: 'pbx-1.1', uniqueid: '1.1', called: '', numberBy: 0 };
      const known = { ...saved, number, from: number === 'known' ? caller1 : '' };
      const { ask, callSays, questions: asked } = stand({ calls: [known] });
      const answer = ask('1.1');
      callSays('prohibited');
      assert.equal(await answer, permission);
      assert.equal(asked(), questions);
    });
});
