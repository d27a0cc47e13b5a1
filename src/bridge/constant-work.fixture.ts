import type { TestContext } from 'node:test';
import type { Works } from '../../test/tools/tree/operations.ts';
import { createLookupPermissions } from './agi/lookup-permission.ts';
import { channelEvent, healthyAnswer, serveActions, startLine, startServer } from './ami/link.fixture.ts';
import type { Input } from './calls/input.ts';
import { callSettings } from './calls/rules.fixture.ts';
import { createRules } from './calls/rules.ts';
import {
  becomes,
  caller,
  callerAs,
  hangsUp,
  join,
  leaves,
  number,
  pbxSays,
  phone,
  phoneAs,
  ringingPhone,
} from './calls/tracker.fixture.ts';
import { createTracker } from './calls/tracker.ts';

/** A PBX with few and with many calls: an event must not cost more on the second. What runs for the first time is left out. */
const sizes = { 'for the first time': 10, few: 10, many: 10_000 };

const numbers: Readonly<Record<string, (index: number) => string>> = {
  'numbers of their own': (index) => `020${1_000_000 + index}`,
  'one number': () => '0201234567',
  'no number': () => '',
  'a name for a number': () => 'alice',
};

const allowed = pbxSays(caller, 'allowed');
const hangUps = [hangsUp(phone), hangsUp(caller)];
const events: Readonly<Record<string, Input[]>> = {
  Newchannel: [caller],
  'the presentation': [allowed],
  NewCallerid: [number(caller, '0201234568')],
  'Newchannel of a phone': [ringingPhone],
  Newstate: [becomes(phone, 'up')],
  BridgeEnter: join('b', phone, caller),
  BridgeLeave: [leaves('b', caller)],
  'Hangup of a phone': [hangsUp(phone)],
  Hangup: [hangsUp(caller)],
  'a missed call': [caller, allowed, ringingPhone, ...hangUps],
  'a call without a number that nobody takes': [
    caller,
    number(caller, 'alice'),
    ringingPhone,
    ...hangUps.toReversed(),
  ],
};

/** A tracker with calls in every state, and lookups that wait for some of them. */
function busyPbx(calls: number, numberOf: (index: number) => string) {
  const tracker = createTracker(createRules(callSettings), { calls: [], trunks: [] });
  const permissions = createLookupPermissions(tracker.state.rules, () => () => {});
  permissions.follow(tracker.state);
  const hear = (...inputs: readonly Input[]) => {
    for (const input of inputs) permissions.review(input, tracker.apply(input));
  };
  const lookUp = (uniqueid: string, number: string, isOwn: boolean) =>
    void permissions.permit(
      { uniqueid, channel: 'PJSIP/x-1', number, isOwn, called: '' },
      375,
      () => new Promise(() => {}),
    );
  for (let index = 0; index < calls; index += 1) {
    const id = `2.${index}`;
    const channel = `PJSIP/trunk${index}-00000001`;
    const one = { ...callerAs(id), channel, callerNumber: numberOf(index) };
    const leg = { ...phoneAs(`1${index}`, `3.${index}`), state: 5, linkedid: id };
    hear(one);
    if (index % 4 !== 0) hear(pbxSays(one, index % 4 === 1 ? 'prohibited' : 'allowed'));
    hear(leg);
    if (index % 4 === 2) hear(...join(`b${index}`, one, leg));
    if (index % 4 === 0) lookUp(id, numberOf(index), true);
    lookUp(`4.${index}`, '100', true);
  }
  return { hear, lookUp };
}

function worksOf(how: string, numberOf: (index: number) => string): Works {
  const works: Record<string, () => unknown> = {};
  const add = (what: string, work: (pbx: ReturnType<typeof busyPbx>) => void) => {
    for (const [size, pbx] of Object.entries(pbxs())) works[`${how}|${what}|${size}`] = () => work(pbx);
  };
  let made: Record<string, ReturnType<typeof busyPbx>> | undefined;
  const pbxs = () => {
    made ??= Object.fromEntries(
      Object.entries(sizes).map(([size, calls]) => [size, busyPbx(calls, numberOf)]),
    );
    return made;
  };
  for (const [event, inputs] of Object.entries(events)) add(event, ({ hear }) => hear(...inputs));
  for (const isOwn of [true, false])
    for (const [uniqueid, number] of [
      ['2.2', numberOf(2)],
      ['9.9', numberOf(2)],
      ['9.9', '0309999999'],
      ['3.2', 'alice'],
    ] as const)
      add(`lookup of ${number} by ${uniqueid}${isOwn ? ', its own' : ''}`, ({ lookUp }) =>
        lookUp(uniqueid, number, isOwn),
      );
  return works;
}

/** A conference of as many callers as people: an event in it may cost as much more as there are more of them, and not its square. */
function conferences(): Works {
  const works: Record<string, () => unknown> = {};
  for (const [size, count] of Object.entries({ 'for the first time': 10, some: 10, double: 20 })) {
    const tracker = createTracker(createRules(callSettings), { calls: [], trunks: [] });
    const hear = (...inputs: readonly Input[]) => {
      for (const input of inputs) tracker.apply(input);
    };
    const everybody = Array.from({ length: count }, (_, nth) => {
      const one = { ...callerAs(`2.${nth}`), channel: `PJSIP/trunk${nth}-00000001` };
      const person = phoneAs(`1${nth}`, `3.${nth}`);
      hear(one, pbxSays(one, 'allowed'), person, becomes(person, 'up'));
      return [one, person] as const;
    });
    for (const channel of everybody.flat()) hear(...join('b', channel));
    for (const [who, nth] of [
      ['caller', 0],
      ['colleague', 1],
    ] as const) {
      const one = everybody[0]?.[nth] ?? caller;
      works[`conference|a ${who} leaves|${size}`] = () => hear(leaves('b', one));
      works[`conference|a ${who} joins|${size}`] = () => hear(...join('b', one).slice(-1));
    }
  }
  return works;
}

const after: (() => unknown)[] = [];

/** Reads events while this number of questions wait for their answers. */
async function readWhileAsking(questions: number): Promise<() => Promise<void>> {
  const t = { after: (callback: () => unknown) => after.push(callback) } as unknown as TestContext;
  let send: (text: string) => void = () => {};
  let asked = 0;
  const port = await startServer(t, (socket) => {
    send = (text) => socket.write(text);
    serveActions(socket, (action, id) => {
      if (action !== 'status') return healthyAnswer(action, id);
      asked += 1;
      return '';
    });
  });
  const forever = 3_600_000;
  const line = startLine(
    t,
    { port, answerDeadlineMs: forever, pingIntervalMs: forever },
    { longestMs: forever },
  );
  await line.until(() => line.link.status().state === 'up');
  for (let index = 0; index < questions; index += 1)
    line.link.ask.presentation(`1.${index}`, `PJSIP/x-${index}`);
  await line.until(() => asked === questions);
  const frames = Array.from({ length: 50 }, (_, index) =>
    ['Newchannel', 'VarSet', 'Hangup'].map((event) => channelEvent(event, `5.${index}`)),
  ).flat();
  return async () => {
    send(frames.map((frame) => `${frame}\r\n\r\n`).join(''));
    const read = () => line.inputs.filter(({ type }) => type === 'hung-up').length;
    await line.until(() => read() === 50);
  };
}

const reading = await Promise.all(
  Object.entries(sizes).map(
    async ([size, questions]) =>
      [`open questions|50 calls|${size}`, await readWhileAsking(questions)] as const,
  ),
);

/** Ends what reads: it is no event. */
async function end(): Promise<void> {
  for (const callback of after) await callback();
}

export const works: Works = Object.assign(
  Object.fromEntries([...reading, ['the end', end]]),
  conferences(),
  ...Object.entries(numbers).map(([how, numberOf]) => worksOf(how, numberOf)),
);
