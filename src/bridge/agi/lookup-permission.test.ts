import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import type { Input, Presentation } from '../calls/input.ts';
import type { OpenCall } from '../calls/open-call.ts';
import { readReportRule } from '../calls/report-rules.ts';
import { callSettings } from '../calls/rules.fixture.ts';
import { type CallSettings, createRules } from '../calls/rules.ts';
import {
  becomes,
  caller,
  callerAs,
  hangsUp,
  number,
  pbxSays,
  phone,
  ringing,
  ringingPhone,
  row,
  tick,
} from '../calls/tracker.fixture.ts';
import { createTracker } from '../calls/tracker.ts';
import type { NumberToLookUp } from './agi.ts';
import { createLookupPermissions } from './lookup-permission.ts';

/** The number that may be looked up, or why none may. */
const shown = (it: NumberToLookUp) =>
  typeof it === 'string' ? it : 'ignored' in it ? it.ignored : it.number;

/** Permissions with a tracker, on a clock of the test's own. */
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
  const permissions = createLookupPermissions(tracker.state.rules, (callback, ms) => {
    const timer = { at: now + ms, callback };
    timers.push(timer);
    return () => {
      timers = timers.filter((each) => each !== timer);
    };
  });
  permissions.follow(tracker.state);
  const pass = (ms: number) => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { callback } of due) callback();
  };
  const apply = (...inputs: Input[]) => {
    for (const input of inputs) {
      permissions.review(input, tracker.apply(input));
    }
  };
  const ask = (uniqueid: string, given = '0201234567', isOwn = true) => {
    const answer = permissions.permit(
      { uniqueid, channel: 'PJSIP/trunk-00000001', number: given, isOwn, called: '0207000001' },
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

const second = { ...callerAs('5.1'), channel: 'PJSIP/trunk-00000005' };
/** The PBX is asked what its dialplan does there. */
const hangsUpInMenu = { ...hangsUp(caller), context: 'menu', exten: '1' };
function listWithoutFirst(at: number): Input {
  const channels = [row('5.1', 'PJSIP/trunk-00000005'), row('1.2', 'PJSIP/1001-00000002')];
  return { type: 'channels-listed', at, askedAt: at, channels, bridges: [] };
}
const [unknown, nameless] = [{ uniqueid: '9.9' }, { uniqueid: '' }];

/** An input, a lookup of a channel's own number or of one that the dialplan gives, what the call itself says, or time. */
type Step =
  | Input
  | { lookUp: string; by?: { uniqueid: string } }
  | { lookUpGiven: string; by?: { uniqueid: string } }
  | { callSays: Presentation }
  | { passedMs: number };

/** A test for each case, with what may be looked up, each in turn. */
function testAnswers(
  cases: [name: string, steps: Step[], answers: string[], settings?: Partial<CallSettings>][],
): void {
  for (const [name, steps, expected, settings = {}] of cases)
    test(name, async () => {
      const { apply, ask, pass, callSays, timers } = stand({ settings });
      const answers: unknown[] = [];
      for (const step of steps) {
        if ('type' in step) apply(step);
        else if ('lookUp' in step) answers.push(ask(step.by?.uniqueid ?? '1.1', step.lookUp));
        else if ('lookUpGiven' in step)
          answers.push(ask(step.by?.uniqueid ?? '1.1', step.lookUpGiven, false));
        else if ('passedMs' in step) pass(step.passedMs);
        else await callSays(step.callSays);
      }
      assert.deepEqual(await Promise.all(answers), expected);
      assert.equal(timers(), 0, 'no timer is left');
    });
}

const own = '0201234567';
const trunkNumbers = [readTrunkNotation('PJSIP/trunk-*:national:strip=9')].filter((it) => it !== undefined);
const byTrunk = { trunkNumbers };
const dialplan = { reportedNumber: 'dialplan', trunkNumbers } as const;
const missing = { missingNumber: '+31999999999' };
const shows = { ...caller, callerNumber: '931201234567' };
/** What that means: on any trunk, and on one that writes its numbers so. */
const [international, national] = [ringing.from, '+3131201234567'];

describe('the caller whose channel asks', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ['has said: allowed', [caller, pbxSays(caller, 'allowed'), { lookUp: own }, { lookUp: '00201234567' }], [international, international]],
    ['has said: prohibited', [caller, pbxSays(caller, 'prohibited'), { lookUp: own }, { lookUp: '00201234567' }], ['withheld', 'withheld']],
    ['says later: allowed', [caller, { lookUp: own }, phone, pbxSays(caller, 'allowed')], [international]],
    ['says later: prohibited', [caller, { lookUp: own }, phone, pbxSays(caller, 'prohibited')], ['withheld']],
    ['asks before its Newchannel, the call says: allowed', [{ lookUp: own }, phone, { callSays: 'allowed' }], [international]],
    ['asks before its Newchannel, the call says: prohibited', [{ lookUp: own }, phone, { callSays: 'prohibited' }], ['withheld']],
    ['does not ring yet', [{ ...caller, state: 0 }, { lookUp: own }, becomes(caller, 'ring'), pbxSays(caller, 'prohibited')], ['withheld']],
    ['is not asked about in time', [caller, { lookUp: own }, { passedMs: 375 }], ['pending']],
    ['is gone before the PBX has said', [caller, { lookUp: own }, hangsUp(caller), tick(1_000), { passedMs: 375 }], ['pending']],
    ['is known when the call allows it: the tracker decides',
      [{ lookUp: '00201234567' }, caller, { callSays: 'allowed' }, pbxSays(caller, 'allowed')], [international]],
    ['is a phone of ours', [phone, { lookUp: '1001', by: phone }, { callSays: 'allowed' }], ['1001']],
  ]));

describe('a number that the dialplan gives', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ['is that of no caller', [caller, pbxSays(caller, 'prohibited'), { lookUpGiven: '0207654321' }], ['+31207654321']],
    ['is the one that its own caller withholds, however written',
      [caller, number(caller, '00201234567'), pbxSays(caller, 'prohibited'), { lookUpGiven: '0201234567' }, { lookUpGiven: '+31201234567' }, { lookUpGiven: '00201234567' }], ['withheld', 'withheld', 'withheld']],
    ['may be that: it does not ring yet',
      [{ ...caller, state: 0 }, { lookUpGiven: '0201234567' }, { callSays: 'prohibited' }, { lookUpGiven: '0201234567' }, { callSays: 'allowed' }], ['withheld', international]],
    ['may be that: it has not come yet',
      [{ ...caller, callerNumber: '' }, { lookUpGiven: '0201234567' }, { callSays: 'prohibited' }, { lookUpGiven: '0201234567' }, { callSays: 'allowed' }], ['withheld', international]],
    ['is one that another call withholds: a Local channel of it, say',
      [phone, caller, { lookUp: own, by: phone }, pbxSays(caller, 'prohibited'), { lookUp: own, by: phone }], ['withheld', 'withheld']],
    ['is another, and the channel is heard of only later',
      [{ lookUpGiven: '0207654321' }, caller, { callSays: 'allowed' }], ['+31207654321']],
  ]));

describe('the number that is looked up is the one that is reported', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ["of the channel's own caller",
      [shows, pbxSays(caller, 'allowed'), { lookUp: '00201234567' }, { lookUp: 'Reception' }, { lookUpGiven: '931201234567' }, { lookUpGiven: '0931201234567' }], [national, national, national, national], byTrunk],
    ["of another call's caller, on a Local channel",
      [phone, shows, pbxSays(caller, 'allowed'), number(caller, '00442079460123'), { lookUp: '931201234567', by: phone }, { lookUp: '00442079460123', by: phone }], [national, national], byTrunk],
    ['of an unknown call: as its trunk writes it, but not what is given',
      [{ lookUp: '931201234567', by: unknown }, { callSays: 'allowed' }, { lookUpGiven: '31201234567', by: unknown }, { callSays: 'allowed' }], [national, international], byTrunk],
    ['as the dialplan has made it by then, where that is reported',
      [shows, pbxSays(caller, 'allowed'), number(caller, '00442079460123'), { lookUp: '00442079460123' }, { lookUp: '931201234567' }], ['+442079460123', national], dialplan],
    ['is none where the caller has none',
      [{ ...caller, callerNumber: 'alice7' }, { lookUp: 'alice7' }, tick(1_000), { lookUp: 'alice7' }], ['', ''], missing],
    ['is one that has just been set',
      [{ ...caller, callerNumber: '' }, tick(1_000), { lookUp: own }, number(caller, '0201234567'), pbxSays(caller, 'allowed')], [international]],
    ['is none where a word stands for it, typed on a keypad', [{ lookUpGiven: '+266696687', by: nameless }, { callSays: 'allowed' }, { lookUpGiven: '8656696', by: nameless }, { callSays: 'allowed' }], ['', '']],
    ['is none where zeros stand for it', [{ lookUpGiven: '0000000000', by: nameless }, { callSays: 'allowed' }], ['']],
  ]));

describe('of two callers with one number, the first is gone', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ['a tick has ended its call',
      [caller, pbxSays(caller, 'allowed'), hangsUpInMenu, tick(1_000), ringingPhone, second, pbxSays(second, 'allowed'), { lookUp: own, by: phone }, { passedMs: 375 }], [international]],
    ['its Hangup never came',
      [caller, pbxSays(caller, 'allowed'), ringingPhone, second, pbxSays(second, 'allowed'), listWithoutFirst(20_000), listWithoutFirst(40_000), { lookUp: own, by: phone }, { passedMs: 375 }], [international]],
    ['its Hangup never came, and a lookup waits for it',
      [caller, ringingPhone, second, pbxSays(second, 'allowed'), { lookUp: own, by: phone }, listWithoutFirst(20_000), listWithoutFirst(40_000), { passedMs: 375 }], [international]],
  ]));

describe('a channel of which no event comes: the call itself', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ['says: allowed',
      [{ lookUp: own, by: unknown }, { callSays: 'allowed' }, { lookUp: own, by: nameless }, { callSays: 'allowed' }], [international, international]],
    ['says: unavailable',
      [{ lookUp: own, by: unknown }, { callSays: 'unavailable' }, { lookUp: own, by: nameless }, { callSays: 'unavailable' }], [international, international]],
    ['says: prohibited',
      [{ lookUp: own, by: unknown }, { callSays: 'prohibited' }, { lookUp: own, by: nameless }, { callSays: 'prohibited' }], ['withheld', 'withheld']],
    ['says: unknown',
      [{ lookUp: own, by: unknown }, { callSays: 'unknown' }, { lookUp: own, by: nameless }, { callSays: 'unknown' }], ['pending', 'pending']],
    ['does not say it in time', [{ lookUp: own, by: unknown }, { passedMs: 375 }, { callSays: 'allowed' }], ['pending']],
    ['withholds a number that another call shows',
      [caller, pbxSays(caller, 'allowed'), { lookUp: own }, { lookUp: own, by: unknown }, { callSays: 'prohibited' }], [international, 'withheld']],
    ['is over for the tracker, and still asks',
      [caller, hangsUp(caller), pbxSays(caller, 'unknown'), { lookUp: own }, { callSays: 'prohibited' }], ['withheld']],
  ]));

const rules = (text: string) => ({
  reportRules: text.split(', ').map((item) => {
    const rule = readReportRule(item);
    assert.ok(rule, item);
    return rule;
  }),
});
const toSales = { ...caller, exten: '0207000001' };
const byCaller = 'REPORT_RULES: ignore caller +3120123*';
const ignoring = rules('ignore caller +3120123*');
const onlySales = rules('report called +31207*, ignore *');
const everyCall = 'REPORT_RULES: ignore *';

describe('a call that REPORT_RULES ignores', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ['asks', [caller, pbxSays(caller, 'allowed'), { lookUp: own }, { lookUp: '00201234567' }, { lookUpGiven: '0207654321' }], [byCaller, byCaller, byCaller], ignoring],
    ['asks before the PBX has said whether its number may be shown', [caller, { lookUp: own }, phone, pbxSays(caller, 'allowed')], [byCaller], ignoring],
    ['asks by a Local channel of it', [phone, caller, pbxSays(caller, 'allowed'), { lookUp: own, by: phone }], [byCaller], ignoring],
    ['asks before its number is decided, as with REPORTED_NUMBER=dialplan', [caller, pbxSays(caller, 'allowed'), { lookUp: own }], [byCaller], { ...ignoring, reportedNumber: 'dialplan' }],
    ['called another number', [caller, pbxSays(caller, 'allowed'), { lookUp: own }], [everyCall], onlySales],
    ['is not known, as without a link to the PBX', [{ lookUp: own, by: unknown }, { callSays: 'allowed' }], [byCaller], ignoring],
    ['withholds its number: that is the reason', [caller, pbxSays(caller, 'prohibited'), { lookUp: own }], ['withheld'], ignoring],
  ]));

describe('a call that REPORT_RULES reports', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ['asks', [toSales, pbxSays(caller, 'allowed'), { lookUp: own }], [international], onlySales],
    ['asks before its number is decided', [toSales, pbxSays(caller, 'allowed'), { lookUp: own }], [international], { ...onlySales, reportedNumber: 'dialplan' }],
    ['is not known: Asterisk says which number it called', [{ lookUp: own, by: unknown }, { callSays: 'allowed' }], [international], onlySales],
  ]));

describe('what is no call from outside, by REPORT_RULES', () =>
  // biome-ignore format: one case a line
  testAnswers([
    ['a phone of ours asks', [phone, { lookUp: '1001', by: phone }, { callSays: 'allowed' }], ['1001'], onlySales],
    ['a number is given, of which a rule says nothing', [{ lookUpGiven: '0207654321', by: nameless }, { callSays: 'allowed' }], ['+31207654321'], onlySales],
    ['a number is given that a rule ignores', [{ lookUpGiven: own, by: nameless }, { callSays: 'allowed' }], [byCaller], ignoring],
  ]));

test('a call that was reported is looked up, whatever the rules have become', async () => {
  const reported = {
    id: 'pbx-1.1',
    uniqueid: '1.1',
    called: '',
    numberBy: 0,
    number: 'known',
    from: international,
    reported: 'ringing',
  } as const;
  const { ask } = stand({ settings: rules('ignore *'), calls: [reported] });
  assert.equal(await ask('1.1'), international);
});

test('a call of which the tracker will know is not asked itself', () => {
  const { apply, ask, pass, questions } = stand();
  apply(caller);
  void ask('1.1');
  assert.equal(questions(), 0);
  pass(375);
});

describe('a call that is open since before a restart', () => {
  for (const [number, permission, questions] of [
    ['awaited', 'withheld', 1],
    ['withheld', 'withheld', 0],
    ['known', international, 0],
  ] as const)
    test(`its number is ${number}`, async () => {
      const saved = { id: 'pbx-1.1', uniqueid: '1.1', called: '', numberBy: 0 };
      const known = { ...saved, number, from: number === 'known' ? international : '' };
      const { ask, callSays, questions: asked } = stand({ calls: [known] });
      const answer = ask('1.1');
      callSays('prohibited');
      assert.equal(await answer, permission);
      assert.equal(asked(), questions);
    });
});
