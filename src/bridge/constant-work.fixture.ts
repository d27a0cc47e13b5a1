import type { TestContext } from 'node:test';
import type { Works } from '../../test/operations.ts';
import { createLookupPermissions } from './agi/lookup-permission.ts';
import { channelEvent, healthyAnswer, serveActions, startLine, startServer } from './ami/link.fixture.ts';
import type { Input } from './calls/input.ts';
import { callSettings } from './calls/rules.fixture.ts';
import { createRules } from './calls/rules.ts';
import { caller, enters, heardAs, phone, saysOf } from './calls/tracker.fixture.ts';
import { createTracker } from './calls/tracker.ts';

/** A PBX with few and with many calls: an event must not cost more on the second. What runs for the first time is left out. */
const sizes = { 'for the first time': 10, few: 10, many: 10_000 };

const numbers: Readonly<Record<string, (index: number) => string>> = {
  'numbers of their own': (index) => `020${1_000_000 + index}`,
  'one number': () => '0201234567',
  'no number': () => '',
  'a name for a number': () => 'alice',
};

const events: Readonly<Record<string, string>> = {
  Newchannel: 'caller',
  'the presentation': '1.1?allowed',
  NewCallerid: '1.1#0201234568',
  'Newchannel of a phone': 'rings',
  Newstate: '1.2=6',
  BridgeEnter: '1.2>b 1.1>b',
  BridgeLeave: '1.1<b',
  'Hangup of a phone': '-1.2',
  Hangup: '-1.1',
  'a missed call': 'caller 1.1?allowed rings -1.2 -1.1',
  'a call without a number that nobody takes': 'caller 1.1#alice rings -1.1 -1.2',
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
      { uniqueid, channel: 'PJSIP/x-1', number, isOwn },
      375,
      () => new Promise(() => {}),
    );
  for (let index = 0; index < calls; index += 1) {
    const [id, leg, bridge] = [`2.${index}`, `3.${index}`, `b${index}`];
    const channel = `PJSIP/trunk${index}-00000001`;
    hear(caller({ uniqueid: id, linkedid: id, channel, callerNumber: numberOf(index) } as Partial<Input>));
    if (index % 4 !== 0) hear(saysOf(id, index % 4 === 1 ? 'prohibited' : 'allowed'));
    hear({ ...phone(5, leg, `1${index}`), linkedid: id } as Input);
    if (index % 4 === 2) hear(enters(bridge, id), enters(bridge, leg));
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
  for (const [event, script] of Object.entries(events)) add(event, ({ hear }) => hear(...heardAs(script)));
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

const after: (() => unknown)[] = [];

/** Reads events while so many questions wait for their answers. */
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
  ...Object.entries(numbers).map(([how, numberOf]) => worksOf(how, numberOf)),
);
