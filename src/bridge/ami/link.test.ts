import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { Input } from '../calls/input.ts';
import {
  channelEvent,
  healthyAnswer,
  serveActions,
  startLine,
  startPlayer,
  startServer,
} from './link.fixture.ts';

const types = (inputs: readonly Input[]): string[] => inputs.map(({ type }) => type);

test('a snapshot comes first, then events as they arrive', async (t) => {
  const { player, port } = await startPlayer(t);
  player.send(channelEvent('Newchannel', '1.1'));
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => said.length > 0);
  player.send(channelEvent('Newchannel', '1.2'));
  player.send(channelEvent('VarSet', '1.2'));
  player.send(channelEvent('Hangup', '1.1', { Cause: '16' }));
  await until(() => inputs.length === 3);

  assert.deepEqual(types(inputs), ['snapshot', 'channel-created', 'hung-up']);
  assert.equal(inputs[0]?.type === 'snapshot' && inputs[0].channels[0]?.uniqueid, '1.1');
  assert.deepEqual(
    said.map(({ code, fields }) => [code, fields.version, fields.channels]),
    [['ami.connected', '22.10.0', 1]],
  );
  const status = link.status();
  assert.equal(status.state, 'up');
  assert.equal(status.lastEventAt, inputs[2]?.at);
  assert.equal(status.attempts, 0);
  assert.equal(status.failure, undefined);
  assert.equal(status.counters.events, 2);
  assert.deepEqual([...status.counters.ignored], [['VarSet', 1]]);
});

test('what the configuration says of endpoints comes before the snapshot', async (t) => {
  const endpoints = {
    'PJSIP/isp': 'from-trunk',
    'SIP/old': 'from-sip',
    'PJSIP/none': '',
    'DAHDI/1': '',
    'MWI:1@default': '',
  };
  const variables = { 'AST_CONFIG(sip.conf,general,context)': 'from-sip-external' };
  const { port } = await startPlayer(t, { endpoints, variables });
  const { inputs, until } = startLine(t, { port });
  await until(() => inputs.length === 2);
  assert.deepEqual(types(inputs), ['endpoints', 'snapshot']);
  const [first] = inputs;
  assert.ok(first?.type === 'endpoints');
  assert.deepEqual(first.contexts, [
    ['PJSIP/isp', 'from-trunk'],
    ['SIP/old', 'from-sip'],
  ]);
  assert.equal(first.guestContext, 'from-sip-external');
});

/** Lists one channel, sends an event before the list and another in it. */
function eventsWhileListing(socket: Socket): void {
  serveActions(socket, (action, id) => {
    const answer = healthyAnswer(action, id);
    if (action !== 'coreshowchannels') return answer;
    const [response, last] = answer.split(/(?<=\r\n\r\n)/);
    const item = channelEvent('CoreShowChannel', '1.1', { ActionID: id });
    const [before, within] = ['1.2', '1.3'].map((uniqueid) => channelEvent('Newchannel', uniqueid));
    return `${before}\r\n\r\n${response}${within}\r\n\r\n${item}\r\n\r\n${last}`;
  });
}

test('events that arrive while the snapshot is read are applied after it', async (t) => {
  const port = await startServer(t, eventsWhileListing);
  const { inputs, until } = startLine(t, { port });
  await until(() => inputs.length === 3);
  assert.deepEqual(types(inputs), ['snapshot', 'channel-created', 'channel-created']);
  assert.deepEqual(
    inputs.slice(1).map((input) => input.type === 'channel-created' && input.uniqueid),
    ['1.2', '1.3'],
  );
});

test('who is asked about comes as an input, also when it has no answer', async (t) => {
  const { player, port } = await startPlayer(t);
  const asked = channelEvent('Newchannel', '1.1', { Channel: 'PJSIP/trunk-00000001' });
  player.load(
    {
      asterisk: '22.10.1',
      row: 'restricted',
      startedAt: Date.now(),
      channels: [],
      bridges: [],
      frames: [
        {
          ms: 0,
          frame: Buffer.from(
            asked
              .replace('Newchannel', 'Status')
              .concat('\r\nVariable: CALLERID(num-pres)=prohib_not_screened'),
          ),
        },
      ],
    },
    { rename: false },
  );
  const { link, inputs, said, until } = startLine(t, { port });
  link.ask.presentation('1.1', 'nobody is connected yet');
  await until(() => said.length === 1);
  player.send(asked);
  player.send(channelEvent('Newchannel', '1.2', { Channel: 'PJSIP/trunk-00000002' }));
  for (const [uniqueid, channel] of [
    ['1.1', 'PJSIP/trunk-00000001'],
    ['1.2', 'PJSIP/trunk-00000002'],
    ['1.3', 'PJSIP/trunk-00000002'],
    ['1.4', 'PJSIP/gone-00000001'],
  ] as const) {
    link.ask.presentation(uniqueid, channel);
  }
  link.ask.presentation('1.5', 'PJSIP/x\r\nAction: Originate');
  const answers = () => inputs.filter((input) => input.type === 'presentation');
  await until(() => answers().length === 5);
  assert.deepEqual(
    answers()
      .map(({ uniqueid, presentation }) => [uniqueid, presentation])
      .sort(),
    [
      ['1.1', 'prohibited'],
      ['1.2', 'allowed'],
      ['1.3', 'unknown'],
      ['1.4', 'unknown'],
      ['1.5', 'unknown'],
    ],
  );
  assert.equal(link.status().counters.connects, 1);
});

test('what the dialplan did comes as an input: of a line that ends a call, what is before it', async (t) => {
  const line = (Priority: string, Application: string, AppData = '') => ({
    Context: 'from-trunk',
    Extension: '49301',
    Priority,
    Application,
    AppData,
  });
  const dialplan = [line('1', 'Queue', 'sales,t'), line('2', 'Hangup'), line('3', 'VoiceMail', '1000')];
  const { port } = await startPlayer(t, { dialplan, variables: { MEXTEN: '1002' } });
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => said.length === 1);
  for (const [uniqueid, priority, exten = '49301'] of [
    ['1.1', '1'],
    ['1.2', '2'],
    ['1.3', '3'],
    ['1.4', '4'],
    ['1.5', '1', '1\r\nAction: Originate'],
  ] as const)
    link.ask.application({
      type: 'ask-application',
      uniqueid,
      place: { context: 'from-trunk', exten, priority },
    });
  const answers = () => inputs.filter((input) => input.type === 'application');
  await until(() => answers().length === 5);
  assert.deepEqual(
    answers()
      .map(({ uniqueid, application, data }) => `${uniqueid} ${application}(${data})`)
      .sort(),
    ['1.1 Queue(sales,t)', '1.2 Queue(sales,t)', '1.3 VoiceMail(1000)', '1.4 ()', '1.5 ()'],
  );
  link.ask.application({
    type: 'ask-application',
    uniqueid: '2.1',
    others: [{ context: 'from-trunk' }],
  });
  await until(() => answers().length === 6);
  assert.deepEqual(answers().at(-1)?.others, [
    { exten: '49301', data: 'sales,t', priority: '1', application: 'Queue' },
    { exten: '49301', data: '', priority: '2', application: 'Hangup' },
    { exten: '49301', data: '1000', priority: '3', application: 'VoiceMail' },
  ]);
  link.ask.variable({
    type: 'ask-variable',
    uniqueid: '2.2',
    channel: 'PJSIP/trunk-1',
    variable: 'MEXTEN',
  });
  await until(() => inputs.some((input) => input.type === 'variable' && input.value === '1002'));
});

for (const [what, withheld] of [
  ['list its channels', 'coreshowchannels'],
  ['greet', 'greeting'],
] as const) {
  test(`an Asterisk that takes longer than the deadline to ${what} is let in all the same`, async (t) => {
    let waits: readonly number[] = [];
    const port = await startServer(t, (socket) => {
      // What takes 300 ms is answered to a link that waits for so long, and never to one that does not.
      const late = (): boolean => !waits.some((ms) => ms >= 300 && ms < 5_000);
      if (withheld === 'greeting' && late()) return;
      serveActions(socket, (action, id) => (action === withheld && late() ? '' : healthyAnswer(action, id)));
    });
    const line = startLine(t, { port, answerDeadlineMs: 100 }, { longestMs: 1_000 });
    const { link, said, until } = line;
    waits = line.waits;
    await until(() => said.some(({ code }) => code === 'ami.connected'));
    assert.equal(said[0]?.code, withheld === 'greeting' ? 'ami.not-asterisk' : 'ami.silent');
    assert.equal(link.status().failure, undefined);
  });
}

test('an AMI that answers only the login and the list of channels gives a working link', async (t) => {
  const needed = ['login', 'coreshowchannels'];
  const asked = new Set<string>();
  let send = (_: string): void => {};
  const port = await startServer(t, (socket) => {
    send = (event) => socket.write(`${event}\r\n\r\n`);
    serveActions(socket, (action, id) => {
      asked.add(action);
      return needed.includes(action) ? healthyAnswer(action, id) : '';
    });
  });
  // A busy machine must not take the time of an answer for silence.
  const { link, inputs, said, until } = startLine(
    t,
    { port, answerDeadlineMs: 500, pingIntervalMs: 5 },
    { longestMs: 500 },
  );
  await until(() => said.some(({ code }) => code === 'ami.connected'));
  // Questions about calls, and what shows that the link works.
  link.ask.presentation('1.1', 'PJSIP/trunk-00000001');
  link.ask.application({
    type: 'ask-application',
    uniqueid: '1.1',
    place: { context: 'ivr-1', exten: 's', priority: '1' },
  });
  send(channelEvent('Newchannel', '1.1'));
  const count = (type: Input['type']) => inputs.filter((input) => input.type === type).length;
  await until(() => count('presentation') + count('application') === 2);
  const { lastPongAt = 0 } = link.status();
  await until(() => link.status().lastPongAt !== lastPongAt);
  // Asked again, it does not wait.
  link.ask.presentation('1.2', 'PJSIP/trunk-00000002');
  await until(() => count('presentation') === 2);

  assert.deepEqual([link.status().state, link.status().counters.connects], ['up', 1]);
  assert.deepEqual(types(inputs).slice(0, 2), ['snapshot', 'channel-created']);
  assert.deepEqual(
    inputs.flatMap((input) => (input.type === 'presentation' ? input.presentation : [])),
    ['unknown', 'unknown'],
  );
  const optional = [...asked].filter((action) => !needed.includes(action)).sort();
  assert.deepEqual(
    said
      .flatMap(({ code, fields }) => (code === 'ami.unanswered' ? String(fields.action).toLowerCase() : []))
      .sort(),
    optional,
    'each is named once',
  );
  assert.deepEqual(optional.length, 8);
});

test('events do not wait for what the bridge can do without, and late answers count', async (t) => {
  let late = (): void => {};
  const port = await startServer(t, (socket) =>
    serveActions(socket, (action, id) => {
      if (['login', 'coreshowchannels'].includes(action)) return healthyAnswer(action, id);
      const version = `Response: Success\r\nActionID: ${id}\r\nAsteriskVersion: 20.1.0\r\n\r\n`;
      if (action === 'coresettings') late = () => socket.write(version);
      return '';
    }),
  );
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => inputs.length === 1);
  assert.deepEqual(types(inputs), ['snapshot']);
  await until(() => link.status().state === 'up');
  assert.deepEqual(
    said.map(({ code }) => code),
    ['ami.connected'],
    'the questions are still open',
  );
  assert.equal(link.status().version, '');
  late();
  await until(() => link.status().version === '20.1.0');
});

test('a list of channels is handed on only if it is complete: what it lacks would count as gone', async (t) => {
  let rows: readonly string[] = [];
  let announced = 0;
  const port = await startServer(t, (socket) =>
    serveActions(socket, (action, id) => {
      if (action !== 'coreshowchannels') return healthyAnswer(action, id);
      const items = rows
        .map((uniqueid) => `${channelEvent('CoreShowChannel', uniqueid, { ActionID: id })}\r\n\r\n`)
        .join('');
      const success = `Response: Success\r\nActionID: ${id}\r\n\r\n`;
      const last = `Event: CoreShowChannelsComplete\r\nActionID: ${id}\r\nListItems: ${announced}\r\n\r\n`;
      return `${success}${items}${last}`;
    }),
  );
  const { link, inputs, until } = startLine(t, { port, pingIntervalMs: 60_000 }, { longestMs: 60_000 });
  await until(() => link.status().state === 'up');
  const ask = (of: readonly string[], count: number) => {
    [rows, announced] = [of, count];
    const { bytesIn } = link.status().counters;
    link.ask.channels();
    return until(() => link.status().counters.bytesIn > bytesIn);
  };
  await ask(['1.1'], 2);
  await ask(['1.1', ''], 2);
  await ask(['1.1', '1.2'], 2);
  await until(() => inputs.length === 2);
  const [, listed] = inputs;
  assert.ok(listed?.type === 'channels-listed' && listed.askedAt <= listed.at);
  assert.deepEqual(
    listed.channels.map(({ uniqueid }) => uniqueid),
    ['1.1', '1.2'],
  );
});

test('a link on which nothing comes any more is not taken for one that cannot say who withholds the number', async (t) => {
  const port = await startServer(t, (socket) =>
    serveActions(socket, (action, id) => (action === 'status' ? '' : healthyAnswer(action, id))),
  );
  const { link, inputs, said, until } = startLine(t, { port, answerDeadlineMs: 50, pingIntervalMs: 60_000 });
  await until(() => said.some(({ code }) => code === 'ami.connected'));
  link.ask.presentation('1.1', 'PJSIP/trunk-00000001');
  await until(() => said.some(({ code }) => code === 'ami.silent'));
  assert.deepEqual(
    inputs.filter(({ type }) => type === 'presentation'),
    [],
  );
});

test('as it comes, silence is found within 10 s', async (t) => {
  const { player, port } = await startPlayer(t);
  const { waits, said, until } = startLine(t, { port, pingIntervalMs: undefined, pingDeadlineMs: undefined });
  await until(() => said.length === 1);
  player.setSilent(true);
  await until(() => said.some(({ code }) => code === 'ami.silent'));
  const [interval = 0, deadline = 0] = waits.filter((ms) => ms <= 10_000);
  assert.ok(interval > 0 && deadline > 0);
  assert.ok(interval + deadline < 10_000, `${interval} ms until the Ping, ${deadline} ms for an answer`);
});

test('what a consumer throws costs that input alone', async (t) => {
  const { player, port } = await startPlayer(t);
  const { link, inputs, said, until } = startLine(
    t,
    { port },
    {
      onInput(input) {
        if (input.type === 'channel-created') throw new Error('cannot');
      },
    },
  );
  await until(() => said.length === 1);
  player.send(channelEvent('Newchannel', '1.1'));
  player.send(channelEvent('Hangup', '1.1'));
  await until(() => inputs.length === 3 && said.length === 2);
  assert.deepEqual(said[1], {
    code: 'ami.input-failed',
    fields: { input: 'channel-created', error: new Error('cannot') },
  });
  assert.equal(link.status().counters.failed, 1);
  assert.equal(link.status().state, 'up');
});
