import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NumberToLookUp } from '../agi/agi.ts';
import type { Input } from '../calls/input.ts';
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
function stand({ isConnected = true, settings = {} as Partial<CallSettings> } = {}) {
  const tracker = createTracker(createRules({ ...callSettings, ...settings }), { calls: [], trunks: [] });
  let timers: { at: number; callback: () => void }[] = [];
  let now = 0;
  const asked: string[] = [];
  const permissions = createLookupPermissions({
    state: tracker.state,
    isConnected: () => isConnected,
    ask: (uniqueid, channel) => void asked.push(`${uniqueid} ${channel}`),
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
      permissions.review(input);
    }
  };
  const ask = (uniqueid: string, given = '0201234567', isOwn = true) => {
    const answer = permissions.permit(
      { uniqueid, channel: 'PJSIP/trunk-00000001', number: given, isOwn },
      375,
    );
    return answer instanceof Promise ? answer.then(shown) : shown(answer);
  };
  return { apply, ask, pass, asked, timers: () => timers.length };
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

    test(`asks before its Newchannel has come, and says later: ${said}`, async () => {
      const { apply, ask, pass } = stand();
      const answer = ask('1.1');
      pass(200);
      apply(caller());
      pass(100);
      apply(saysOf('1.1', said));
      assert.equal(await answer, permission);
    });

    test(`asks before its Newchannel has come, and the answer comes first: ${said}`, async () => {
      const { apply, ask, asked } = stand();
      const answer = ask('1.1');
      assert.deepEqual(asked, ['1.1 PJSIP/trunk-00000001']);
      apply(phone(), saysOf('1.1', said));
      assert.equal(await answer, permission);
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

  test('is a phone of ours', () => {
    const { apply, ask } = stand();
    apply(phone());
    assert.equal(ask('1.2', '1001'), '1001');
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

  test('is one that another call withholds: a Local channel of it, say', async () => {
    const { apply, ask } = stand();
    apply(phone(), caller());
    const answer = ask('1.2');
    apply(saysOf('1.1', 'prohibited'));
    assert.equal(await answer, 'withheld');
    assert.equal(ask('1.2'), 'withheld');
  });

  test('is another, and the channel is heard of only later', async () => {
    const { apply, ask } = stand();
    const answer = ask('1.1', '0207654321', false);
    apply(caller());
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

  test('of a call of which nothing is known is read as its trunk writes it', () => {
    const { ask } = stand({ isConnected: false, settings: { trunkNumbers } });
    assert.equal(ask('9.9', '931201234567'), national);
    assert.equal(ask('9.9', '31201234567', false), '+31201234567', 'but not what the dialplan gives');
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

  test('is none where zeros stand for it', () => assert.equal(stand().ask('', '0000000000', false), ''));
});

describe('a channel of which no event comes', () => {
  test('is none of this PBX', async () => {
    const { apply, ask, timers } = stand();
    const answer = ask('9.9');
    apply(saysOf('9.9', 'unknown'));
    assert.equal(await answer, caller1);
    assert.equal(timers(), 0);
  });

  test('is not asked about in time', async () => {
    const { ask, pass } = stand();
    const answer = ask('9.9');
    pass(375);
    assert.equal(await answer, 'pending');
  });

  test('is not waited for without a link to the PBX, or a Uniqueid', () => {
    assert.equal(stand({ isConnected: false }).ask('9.9'), caller1);
    assert.equal(stand().ask(''), caller1);
  });
});
