import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Input } from '../calls/input.ts';
import { createRules } from '../calls/rules.ts';
import { caller, hangsUp, number, phone, saysOf, state, tick } from '../calls/tracker.fixture.ts';
import { createTracker } from '../calls/tracker.ts';
import { createLookupPermissions } from './lookup-permission.ts';

const rules = createRules({
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*'],
  inboundChannels: [],
  defaultCountry: 'NL',
  answeredBy: 'endpoint',
});

/** Permissions beside a tracker, on a clock of the test's own. */
function stand({ isConnected = true } = {}) {
  const tracker = createTracker(rules, { calls: [], trunks: [] });
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
  const hear = (...inputs: Input[]) => {
    for (const input of inputs) {
      tracker.apply(input);
      permissions.review(input);
    }
  };
  const ask = (uniqueid: string, given = '0201234567', isOwn = true) =>
    permissions.permit({ uniqueid, channel: 'PJSIP/trunk-00000001', number: given, isOwn }, 375);
  return { hear, ask, pass, asked, timers: () => timers.length };
}

describe('the caller whose channel asks', () => {
  for (const [said, permission] of [
    ['allowed', 'granted'],
    ['prohibited', 'withheld'],
  ] as const) {
    test(`has said: ${said}`, () => {
      const { hear, ask, timers } = stand();
      hear(caller(), saysOf('1.1', said));
      assert.equal(ask('1.1'), permission);
      assert.equal(ask('1.1', '00201234567'), permission, 'also as the dialplan has rewritten it');
      assert.equal(timers(), 0);
    });

    test(`says later: ${said}`, async () => {
      const { hear, ask, timers } = stand();
      hear(caller());
      const answer = ask('1.1');
      hear(phone(), saysOf('1.1', said));
      assert.equal(await answer, permission);
      assert.equal(timers(), 0, 'no timer is left');
    });

    test(`asks before its Newchannel has come, and says later: ${said}`, async () => {
      const { hear, ask, pass } = stand();
      const answer = ask('1.1');
      pass(200);
      hear(caller());
      pass(100);
      hear(saysOf('1.1', said));
      assert.equal(await answer, permission);
    });

    test(`asks before its Newchannel has come, and the answer comes first: ${said}`, async () => {
      const { hear, ask, asked } = stand();
      const answer = ask('1.1');
      assert.deepEqual(asked, ['1.1 PJSIP/trunk-00000001']);
      hear(phone(), saysOf('1.1', said));
      assert.equal(await answer, permission);
    });
  }

  test('does not ring yet', async () => {
    const { hear, ask } = stand();
    hear(caller({ state: 0 } as never));
    const answer = ask('1.1');
    hear(state('1.1', 4), saysOf('1.1', 'prohibited'));
    assert.equal(await answer, 'withheld');
  });

  test('is not asked about in time', async () => {
    const { hear, ask, pass } = stand();
    hear(caller());
    const answer = ask('1.1');
    pass(375);
    assert.equal(await answer, 'pending');
  });

  test('is gone before the PBX has said', async () => {
    const { hear, ask, pass } = stand();
    hear(caller());
    const answer = ask('1.1');
    hear(hangsUp('1.1'), tick(1_000));
    pass(375);
    assert.equal(await answer, 'pending');
  });

  test('is a phone of ours', () => {
    const { hear, ask } = stand();
    hear(phone());
    assert.equal(ask('1.2', '1001'), 'granted');
  });
});

describe('a number that the dialplan gives', () => {
  test('is that of no caller', () => {
    const { hear, ask } = stand();
    hear(caller(), saysOf('1.1', 'prohibited'));
    assert.equal(ask('1.1', '0207654321', false), 'granted');
  });

  for (const [how, given] of [
    ['as it was presented', '0201234567'],
    ['in full', '+31201234567'],
    ['as the dialplan rewrote it', '00201234567'],
  ] as const)
    test(`is the one that its own caller withholds, ${how}`, () => {
      const { hear, ask } = stand();
      hear(caller(), number('1.1', '00201234567'), saysOf('1.1', 'prohibited'));
      assert.equal(ask('1.1', given, false), 'withheld');
    });

  test('is one that another call withholds: a Local channel of it, say', async () => {
    const { hear, ask } = stand();
    hear(phone(), caller());
    const answer = ask('1.2');
    hear(saysOf('1.1', 'prohibited'));
    assert.equal(await answer, 'withheld');
    assert.equal(ask('1.2'), 'withheld');
  });

  test('is another, and the channel is heard of only later', async () => {
    const { hear, ask } = stand();
    const answer = ask('1.1', '0207654321', false);
    hear(caller());
    assert.equal(await answer, 'granted');
  });
});

describe('a channel of which no event comes', () => {
  test('is none of this PBX', async () => {
    const { hear, ask, timers } = stand();
    const answer = ask('9.9');
    hear(saysOf('9.9', 'unknown'));
    assert.equal(await answer, 'granted');
    assert.equal(timers(), 0);
  });

  test('is not asked about in time', async () => {
    const { ask, pass } = stand();
    const answer = ask('9.9');
    pass(375);
    assert.equal(await answer, 'pending');
  });

  test('is not waited for without a link to the PBX, or a Uniqueid', () => {
    assert.equal(stand({ isConnected: false }).ask('9.9'), 'granted');
    assert.equal(stand().ask(''), 'granted');
  });
});
