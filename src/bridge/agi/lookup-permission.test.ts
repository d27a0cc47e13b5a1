import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../test/table.ts';
import { readTrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import type { Input, Presentation } from '../calls/input.ts';
import type { OpenCall } from '../calls/open-call.ts';
import { callSettings } from '../calls/rules.fixture.ts';
import { type CallSettings, createRules } from '../calls/rules.ts';
import { caller, heardAs, phone, row } from '../calls/tracker.fixture.ts';
import { createTracker } from '../calls/tracker.ts';
import type { NumberToLookUp } from './agi.ts';
import { createLookupPermissions } from './lookup-permission.ts';

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

const named: Record<string, Input> = {
  down: caller({ state: 0 } as never),
  silent: caller({ callerNumber: '' } as never),
  alice: caller({ callerNumber: 'alice7' } as never),
  shows: caller({ callerNumber: '931201234567' } as never),
  second: caller({ uniqueid: '5.1', linkedid: '5.1', channel: 'PJSIP/trunk-00000005' } as never),
  leg: phone(5, '1.2'),
  // The PBX is asked what its dialplan does there.
  hangsUpInMenu: {
    ...{ type: 'hung-up', at: 1_000, uniqueid: '1.1', cause: 16 },
    context: 'menu',
    exten: '1',
  },
  firstIsMissing: listWithoutFirst(20_000),
  firstIsGone: listWithoutFirst(40_000),
};

function listWithoutFirst(at: number): Input {
  const channels = [row('5.1', 'PJSIP/trunk-00000005'), row('1.2', 'PJSIP/1001-00000002')];
  return { type: 'channels-listed', at, askedAt: at, channels, bridges: [] };
}

/**
 * Plays a script: as `heardAs`; `own` asks for the caller's own number, `own/1.2:1001` on another channel and with another number
 * than 0201234567, `given:…` for one that the dialplan gives; `call=allowed` is what the call itself says, `pass=375` time.
 * Returns what may be looked up, each in turn.
 */
async function answersTo(script: string, settings: Partial<CallSettings> = {}): Promise<string> {
  const { apply, ask, pass, callSays, timers } = stand({ settings });
  const answers: (string | Promise<string>)[] = [];
  for (const word of script.split(' ')) {
    const [, who, id = '1.1', number] = /^(own|given)(?:\/([\d.]*))?(?::(.*))?$/.exec(word) ?? [];
    if (who !== undefined) answers.push(ask(id, number, who === 'own'));
    else if (word.startsWith('pass=')) pass(Number(word.slice(5)));
    else if (word.startsWith('call=')) callSays(word.slice(5) as Presentation);
    else apply(...heardAs(word, named));
    if (word.startsWith('call=')) await Promise.resolve();
  }
  const all = await Promise.all(answers);
  assert.equal(timers(), 0, 'no timer is left');
  return all
    .map((answer) => answer || 'none')
    .join(' ')
    .replaceAll(caller1, 'N')
    .replaceAll(national, 'P');
}

const trunkNumbers = [readTrunkNotation('PJSIP/trunk-*:national:strip=9')].filter((it) => it !== undefined);
/** What a trunk that writes its numbers so means by 931201234567. */
const national = '+3131201234567';
const byTrunk = { trunkNumbers };
const settingsOf: Record<string, Partial<CallSettings>> = {
  ...{ none: {}, byTrunk, dialplan: { reportedNumber: 'dialplan', trunkNumbers } },
  missing: { missingNumber: '+31999999999' },
};

/** The settings, the script, and what may be looked up: `N` is the caller's number, `P` as its trunk writes it. */
const tables: Record<string, [what: string, settings: string, script: string, answers: string][]> = {
  'the caller whose channel asks': table(`
    has said: allowed                        | none | caller 1.1?allowed own own:00201234567       | N N
    has said: prohibited                     | none | caller 1.1?prohibited own own:00201234567    | withheld withheld
    says later: allowed                      | none | caller own phone 1.1?allowed                 | N
    says later: prohibited                   | none | caller own phone 1.1?prohibited              | withheld
    asks before its Newchannel, the call says: allowed    | none | own phone call=allowed          | N
    asks before its Newchannel, the call says: prohibited | none | own phone call=prohibited       | withheld
    does not ring yet                        | none | down own 1.1=4 1.1?prohibited                | withheld
    is not asked about in time               | none | caller own pass=375                          | pending
    is gone before the PBX has said          | none | caller own -1.1 +1000 pass=375               | pending
    is known when the call allows it: the tracker decides | none | own:00201234567 caller call=allowed 1.1?allowed | N
    is a phone of ours                       | none | phone own/1.2:1001 call=allowed              | 1001
  `),
  'a number that the dialplan gives': table(`
    is that of no caller                     | none | caller 1.1?prohibited given:0207654321       | +31207654321
    is the one that its own caller withholds, however written | none | caller 1.1#00201234567 1.1?prohibited given:0201234567 given:+31201234567 given:00201234567 | withheld withheld withheld
    may be that: it does not ring yet        | none | down given:0201234567 call=prohibited given:0201234567 call=allowed   | withheld N
    may be that: it has not come yet         | none | silent given:0201234567 call=prohibited given:0201234567 call=allowed | withheld N
    is one that another call withholds: a Local channel of it, say | none | phone caller own/1.2 1.1?prohibited own/1.2 | withheld withheld
    is another, and the channel is heard of only later | none | given:0207654321 caller call=allowed | +31207654321
  `),
  'the number that is looked up is the one that is reported': table(`
    of the channel's own caller              | byTrunk | shows 1.1?allowed own:00201234567 own:Reception given:931201234567 given:0931201234567 | P P P P
    of another call's caller, on a Local channel | byTrunk | phone shows 1.1?allowed 1.1#00442079460123 own/1.2:931201234567 own/1.2:00442079460123 | P P
    of an unknown call: as its trunk writes it, but not what is given | byTrunk | own/9.9:931201234567 call=allowed given/9.9:31201234567 call=allowed | P N
    as the dialplan has made it by then, where that is reported | dialplan | shows 1.1?allowed 1.1#00442079460123 own:00442079460123 own:931201234567 | +442079460123 P
    is none where the caller has none        | missing | alice own:alice7 +1000 own:alice7         | none none
    is one that has just been set            | none | silent +1000 own 1.1#0201234567 1.1?allowed  | N
    is none where zeros stand for it         | none | given/:0000000000 call=allowed               | none
  `),
  'of two callers with one number, the first is gone': table(`
    a tick has ended its call                | none | caller 1.1?allowed hangsUpInMenu +1000 leg second 5.1?allowed own/1.2 pass=375 | N
    its Hangup never came                    | none | caller 1.1?allowed leg second 5.1?allowed firstIsMissing firstIsGone own/1.2 pass=375 | N
    its Hangup never came, and a lookup waits for it | none | caller leg second 5.1?allowed own/1.2 firstIsMissing firstIsGone pass=375 | N
  `),
  'a channel of which no event comes: the call itself': table(`
    says: allowed                            | none | own/9.9 call=allowed own/ call=allowed       | N N
    says: unavailable                        | none | own/9.9 call=unavailable own/ call=unavailable | N N
    says: prohibited                         | none | own/9.9 call=prohibited own/ call=prohibited | withheld withheld
    says: unknown                            | none | own/9.9 call=unknown own/ call=unknown       | pending pending
    does not say it in time                  | none | own/9.9 pass=375 call=allowed                | pending
    withholds a number that another call shows | none | caller 1.1?allowed own own/9.9 call=prohibited | N withheld
    is over for the tracker, and still asks  | none | caller -1.1 1.1?unknown own call=prohibited  | withheld
  `),
};
for (const [about, rows] of Object.entries(tables))
  describe(about, () => {
    for (const [what, settings, script, answers] of rows)
      test(what, async () => assert.equal(await answersTo(script, settingsOf[settings]), answers));
  });

test('a call of which the tracker will know is not asked itself', () => {
  const { apply, ask, pass, questions } = stand();
  apply(caller());
  void ask('1.1');
  assert.equal(questions(), 0);
  pass(375);
});

test('the number of an unknown call is read as other calls have shown that its trunk writes them', async () => {
  const { apply, ask, callSays } = stand({ settings: { defaultCountry: 'DE' } });
  const rings = (uniqueid: string) =>
    apply(caller({ uniqueid, linkedid: uniqueid, callerNumber: '4915112345678' } as never));
  const looksUp = async () => {
    const answer = ask('9.9', '31612345999');
    callSays('allowed');
    return answer;
  };
  rings('1.1');
  rings('2.1');
  assert.equal(await looksUp(), '+4931612345999');
  rings('3.1');
  assert.equal(await looksUp(), '+31612345999');
});

describe('a call that is open since before a restart', () => {
  for (const [number, permission, questions] of [
    ['awaited', 'withheld', 1],
    ['withheld', 'withheld', 0],
    ['known', caller1, 0],
  ] as const)
    test(`its number is ${number}`, async () => {
      const saved = { id: 'pbx-1.1', uniqueid: '1.1', called: '', numberBy: 0 };
      const known = { ...saved, number, from: number === 'known' ? caller1 : '' };
      const { ask, callSays, questions: asked } = stand({ calls: [known] });
      const answer = ask('1.1');
      callSays('prohibited');
      assert.equal(await answer, permission);
      assert.equal(asked(), questions);
    });
});
