import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { account, channelEvent, startLine, startPlayer } from '../../../src/bridge/ami/link.fixture.ts';
import type { Recording } from '../../../src/bridge/ami/recording/recording.ts';
import type { Input } from '../../../src/bridge/calls/input.ts';
import { amiEvent } from '../fakes/ami-event.ts';

const bridge = { BridgeUniqueid: 'a6950b8c-6cea-49f1-aa3b-7676e900b16e', BridgeTechnology: 'simple_bridge' };
const at = 1_763_618_400_000;

/** A call that comes in, is put through over a second channel, and ends. */
const recording: Recording = {
  asterisk: '22.10.1',
  row: 'x',
  startedAt: at,
  channels: [],
  bridges: [],
  frames: [
    channelEvent('Newchannel', '1763618400.1'),
    channelEvent('Newchannel', '1763618401.2', { Linkedid: '1763618400.1', ChannelState: '0' }),
    channelEvent('Newstate', '1763618401.2', { ChannelState: '6', ChannelStateDesc: 'Up' }),
    channelEvent('BridgeEnter', '1763618401.2', bridge),
    channelEvent('BridgeEnter', '1763618400.1', bridge),
    channelEvent('Rename', '1763618401.2', { Newname: 'PJSIP/1002-00000009' }),
    channelEvent('BridgeLeave', '1763618400.1', bridge),
    channelEvent('Hangup', '1763618400.1', { Cause: '16' }),
    channelEvent('BridgeLeave', '1763618401.2', bridge),
    amiEvent('BridgeDestroy', bridge),
    channelEvent('Hangup', '1763618401.2', { Cause: '16' }),
  ].map((text, index) => ({ ms: index * 10, frame: Buffer.from(text) })),
};

async function firstSnapshot(t: TestContext, port: number): Promise<Extract<Input, { type: 'snapshot' }>> {
  const { link, inputs, until } = startLine(t, { port });
  await until(() => inputs.length > 0);
  link.stop();
  const [first] = inputs;
  assert.equal(first?.type, 'snapshot');
  return first;
}

test('channels that a recording began with are there from the start', async (t) => {
  const { player, port } = await startPlayer(t);
  const item = channelEvent('CoreShowChannel', '1763618390.1', {
    Application: 'Queue',
    BridgeId: 'b',
    ActionID: '7',
  });
  player.load(
    {
      ...recording,
      channels: [item],
      bridges: [
        amiEvent('BridgeListItem', { ActionID: '8', BridgeUniqueid: 'b', BridgeTechnology: 'softmix' }),
      ],
    },
    { rename: false },
  );
  const { channels, bridges } = await firstSnapshot(t, port);
  assert.deepEqual(
    channels.map(({ uniqueid, application, bridge }) => [uniqueid, application, bridge]),
    [['1763618390.1', 'Queue', 'b']],
  );
  assert.deepEqual(bridges, [{ bridge: 'b', technology: 'softmix' }]);
});

test('a recording played twice at once is two calls, of the time of playing', async (t) => {
  const { player, port } = await startPlayer(t);
  const { inputs, said, until } = startLine(t, { port });
  await until(() => said.length === 1);
  const begun = Math.floor(Date.now() / 1000);
  const speed = Number.POSITIVE_INFINITY;
  await Promise.all([player.play(recording, { speed }), player.play(recording, { speed })]);
  const ended = Math.ceil(Date.now() / 1000);
  await until(() => inputs.length === 1 + 2 * recording.frames.length);
  const created = inputs.filter((input) => input.type === 'channel-created');
  assert.equal(new Set(created.map(({ uniqueid }) => uniqueid)).size, 4);
  assert.equal(new Set(created.map(({ channel }) => channel)).size, 4);
  assert.equal(new Set(created.map(({ linkedid }) => linkedid)).size, 2);
  for (const { uniqueid } of created) {
    const second = Number.parseInt(uniqueid, 10);
    assert.ok(second >= begun && second <= ended + 2, `${uniqueid} is not of now`);
  }
  assert.deepEqual(player.channels(), []);
});

test('at full speed a recorded question is waited for, as it was when it was recorded', async (t) => {
  const { player, port } = await startPlayer(t);
  const name = 'PJSIP/trunk-00000007';
  const created = Buffer.from(channelEvent('Newchannel', '1763618400.1', { Channel: name }));
  const answer = Buffer.from(`Event: Status\r\nChannel: ${name}\r\nUniqueid: 1763618400.1\r\nVariable: A=b`);
  const asking: Recording = {
    ...recording,
    frames: [created, answer, ...recording.frames.slice(1).map(({ frame }) => frame)].map((frame) => ({
      ms: 0,
      frame,
    })),
  };
  // In the order in which they come: an answer is an input only after the frames that came with it.
  const frames: string[] = [];
  const onFrame = (frame: Buffer) =>
    void frames.push(/^Event: (.*)$/m.exec(String(frame))?.[1]?.trim() ?? '');
  const line = startLine(t, { port }, { onFrame });
  await line.until(() => line.said.length === 1);
  const played = player.play(asking, { speed: Number.POSITIVE_INFINITY, rename: false });
  await line.until(() => line.inputs.length >= 2);
  // What follows would have come with it.
  await setImmediate();
  assert.equal(line.inputs.length, 2);
  line.link.ask.presentation('1763618400.1', name);
  await played;
  await line.until(() => line.inputs.length === 2 + asking.frames.length - 1);
  assert.equal(line.inputs.filter(({ type }) => type === 'presentation').length, 1);
  assert.deepEqual(frames.filter((event) => event === 'Newchannel' || event === 'Status').slice(0, 3), [
    'Newchannel',
    'Status',
    'Newchannel',
  ]);
});

test('an event is seen by those who have all of its classes', async (t) => {
  const { player, port } = await startPlayer(t, { read: ['call'] });
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => said.length === 1);
  player.send(channelEvent('VarSet', '1.1', { Privilege: 'dialplan,all' }));
  player.send(channelEvent('Newstate', '1.1', { Privilege: 'call,dialplan,all' }));
  player.send(channelEvent('Newchannel', '1.2'));
  await until(() => inputs.length === 2);
  assert.equal(inputs[1]?.type, 'channel-created');
  assert.equal(link.status().counters.ignored.size, 0);
});

/** What Asterisk 16 and 22 answer, to any client. */
test('it answers as Asterisk does', async (t) => {
  const { port } = await startPlayer(t);
  const answers = await converse(port, [
    'Action: Ping\r\nActionID: 1',
    `action: login\r\nactionid: 2\r\nusername: ${account.username}\r\nsecret: ${account.secret}`,
    'Action: Ping\r\nActionID: 3',
    'Action: constructor\r\nActionID: 4',
    'Action: BridgeList\r\nActionID: 5',
    'Action: Logoff\r\nActionID: 6',
  ]);
  const sameTime = answers.replace(/(?<=Timestamp: )\d{10}\.\d{6}/, 'NOW');
  assert.deepEqual(sameTime.split('\r\n\r\n'), [
    'Asterisk Call Manager/9.0.0\r\nResponse: Error\r\nActionID: 1\r\nMessage: Permission denied',
    'Response: Success\r\nActionID: 2\r\nMessage: Authentication accepted',
    'Response: Success\r\nActionID: 3\r\nPing: Pong\r\nTimestamp: NOW',
    'Response: Error\r\nActionID: 4\r\nMessage: Invalid/unknown command: use ListCommands',
    'Response: Success\r\nActionID: 5\r\nEventList: start\r\nMessage: A list will follow',
    'Event: BridgeListComplete\r\nActionID: 5\r\nEventList: Complete\r\nListItems: 0',
    'Response: Goodbye\r\nActionID: 6\r\nMessage: Thanks for all the fish.',
    '',
  ]);
});

test('a wrong secret is refused and the connection closed', async (t) => {
  const { port } = await startPlayer(t);
  const answers = await converse(port, ['Action: Login\r\nUsername: bridge\r\nSecret: wrong']);
  assert.match(answers, /Response: Error\r\n.*Message: Authentication failed\r\n\r\n$/s);
});

/** Sends the actions one after the other, and gives all that came until the other side closed. */
async function converse(port: number, actions: readonly string[]): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes;
  });
  socket.write(actions.map((action) => `${action}\r\n\r\n`).join(''));
  await once(socket, 'end');
  return heard;
}
