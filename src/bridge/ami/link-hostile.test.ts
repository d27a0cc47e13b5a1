import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { amiEvent } from '../../../test/tools/fakes/ami-event.ts';
import { silentLog } from '../../shared/log/log.ts';
import { systemClock } from '../../shared/process/clock.ts';
import type { Input } from '../calls/input.ts';
import { maxHeld } from './input-feed.ts';
import {
  account,
  channelEvent,
  healthyAnswer,
  serveActions,
  startLine,
  startPlayer,
  startServer,
} from './link.fixture.ts';
import { createAmiLink } from './link.ts';
import { UnsafeValueError } from './wire/manager.ts';

const eventsOf = (inputs: readonly Input[]) => inputs.filter(({ type }) => type !== 'snapshot');
const types = (inputs: readonly Input[]): string[] => inputs.map(({ type }) => type);

test('more events than can be held end the connection, and the next one is a new beginning', async (t) => {
  let connections = 0;
  const port = await startServer(t, (socket) => {
    const flood = connections++ === 0;
    serveActions(socket, (action, id) => {
      if (action !== 'coreshowchannels' || !flood) return healthyAnswer(action, id);
      return `${amiEvent('BridgeDestroy', { BridgeUniqueid: 'b' })}\r\n\r\n`.repeat(maxHeld + 1);
    });
  });
  const { inputs, said, until } = startLine(t, { port });
  await until(() => inputs.length > 0);
  assert.deepEqual(types(inputs), ['snapshot']);
  assert.deepEqual(
    said.map(({ code, fields }) => [code, fields.reason]),
    [
      ['ami.lost', 'connection lost (too many events while the channels were read)'],
      ['ami.connected', undefined],
    ],
  );
});

test('hostile frames cost themselves alone', async (t) => {
  const { player, port } = await startPlayer(t);
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => said.length === 1);
  const hostile = [
    'Event: close\r\n\r\n',
    'Event: error\r\nMessage: x\r\n\r\n',
    'Event: connect\r\n\r\n',
    'Event: __proto__\r\n\r\n',
    'Response: Success\r\nActionID: managerevent\r\n\r\n',
    'Response: Success\r\nActionID: newListener\r\n\r\n',
    'Response: Follows\r\nActionID: 1\r\n\r\n',
    'Asterisk Call Manager/9.0.0\r\n\r\n',
    'no colon at all\r\n\r\n',
    '\r\n\r\n\n\n\n',
    'Event: Newchannel\r\nChannel: without a Uniqueid\r\n\r\n',
    `${channelEvent('Newchannel', '1.1')}\r\n__proto__: polluted\r\nconstructor: x\r\nResponse: Success\r\n\r\n`,
    channelEvent('Newstate', '1.1').replaceAll('\r\n', '\n').concat('\n\n'),
    channelEvent('Newstate', '1.1').concat('\r\n\n'),
  ];
  for (const bytes of hostile) player.sendRaw(bytes);
  const renamed = amiEvent('Rename', { Channel: 'SIP/a', Newname: 'SIP/\xff', Uniqueid: '1.1' });
  player.sendRaw(Buffer.from(`${renamed}\r\n\r\n`, 'latin1'));
  player.send(channelEvent('Hangup', '1.1'));
  await until(() => inputs.some(({ type }) => type === 'hung-up'));

  assert.deepEqual(types(eventsOf(inputs)), [
    'channel-created',
    'channel-state',
    'channel-state',
    'channel-renamed',
    'hung-up',
  ]);
  const input = eventsOf(inputs)[3];
  assert.equal(input?.type === 'channel-renamed' && input.channel, 'SIP/\ufffd');
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  const { state, counters } = link.status();
  assert.equal(state, 'up');
  assert.equal(counters.connects, 1);
  assert.equal(counters.bad, 1);
  assert.deepEqual(Object.fromEntries(counters.ignored), {
    close: 1,
    error: 1,
    connect: 1,
    ['__proto__']: 1,
    Response: 3,
    '': 2,
  });
});

test('a caller with line breaks in the number: the call is seen, other calls are not affected, and the log says so once', async (t) => {
  const { player, port } = await startPlayer(t);
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => said.length === 1);
  player.send(channelEvent('Newchannel', '1.1'));
  for (const id of ['1.2', '1.3'])
    for (const forged of [
      'Uniqueid: 1.1\r\nLinkedid: 1.1',
      '\r\nEvent: Hangup\r\nUniqueid: 1.1',
      '\r\nEvent: Hangup\r\nPrivilege: call,all\r\nUniqueid: 1.1\r\n',
      '\r\nResponse: Success\r\nActionID: pbx-bridge-5\r\n',
    ]) {
      const event = channelEvent('Newstate', id, { CallerIDNum: `+4930\r\n${forged}` });
      player.sendRaw(`${event}\r\n\r\n`);
    }
  player.sendRaw('Event: Hangup\r\nPrivilege: call,all\r\nUniqueid: 1.1\r\n\r\n');
  player.send(channelEvent('Hangup', '1.3'));
  await until(() => inputs.some(({ type }) => type === 'hung-up'));
  const [, ...events] = eventsOf(inputs);
  const seen = events.map((it) => ('uniqueid' in it ? [it.type, it.uniqueid] : [it.type]));
  const states = (id: string) => Array.from({ length: 4 }, () => ['channel-state', id]);
  assert.deepEqual(seen, [...states('1.2'), ...states('1.3'), ['hung-up', '1.3']]);
  for (const it of events) if (it.type === 'channel-state') assert.equal(it.callerNumber, '+4930');
  assert.deepEqual(
    said.slice(1).map(({ code, fields }) => [code, fields.event]),
    [
      ['ami.line-break', 'Newstate'],
      ['ami.bad-event', 'Hangup'],
    ],
  );
  // What the event that was refused may have said is in another snapshot.
  await until(() => inputs.filter(({ type }) => type === 'snapshot').length === 2);
  const { counters } = link.status();
  assert.deepEqual([counters.lineBreaks, counters.bad, counters.ignored.get('Response')], [8, 1, undefined]);
});

describe('a list of channels with a row that is refused ends no call', () => {
  const uniqueids = (inputs: readonly Input[]) =>
    inputs.flatMap((it) => ('channels' in it ? [it.channels.map(({ uniqueid }) => uniqueid)] : []));
  const whole = ['1.1', '1.2'];

  /** An Asterisk with two channels; while `refused` lists are left, the number in the second row cannot be Asterisk's. */
  async function start(t: TestContext, announces: boolean) {
    const pbx = { refused: 0, lists: 0, send: (_: string): void => {} };
    const port = await startServer(t, (socket) => {
      pbx.send = (bytes) => socket.write(bytes);
      serveActions(socket, (action, id) => {
        if (action !== 'coreshowchannels') return healthyAnswer(action, id);
        pbx.lists += 1;
        const isRefused = pbx.refused-- > 0;
        const forged = isRefused ? { CallerIDNum: `+4930\r\nContext: ${'x'.repeat(300)}` } : {};
        const items = whole.map((uniqueid) =>
          channelEvent('CoreShowChannel', uniqueid, { ActionID: id, ...(uniqueid === '1.2' && forged) }),
        );
        const count = announces ? `\r\nListItems: ${items.length}` : '';
        const last = `Event: CoreShowChannelsComplete\r\nActionID: ${id}${count}`;
        return [`Response: Success\r\nActionID: ${id}`, ...items, last, ''].join('\r\n\r\n');
      });
    });
    const line = startLine(t, { port, pingIntervalMs: 60_000 });
    await line.until(() => line.link.status().state === 'up');
    return { ...line, pbx };
  }

  for (const [what, announces] of [
    ['its end says how many rows it has', true],
    ['its end does not', false],
  ] as const) {
    test(`after an event that was refused: ${what}`, async (t) => {
      const { link, inputs, until, pbx } = await start(t, announces);
      const { lists } = pbx;
      pbx.refused = 2;
      pbx.send('Event: Hangup\r\nUniqueid: 1.1\r\n\r\n');
      await until(() => inputs.length === 2);
      assert.deepEqual(uniqueids(inputs), [whole, whole]);
      assert.equal(pbx.lists, lists + 3, 'it is read again until it is whole');
      assert.equal(link.status().counters.bad, 3, 'the event and two rows');
    });

    test(`while calls are open: ${what}`, async (t) => {
      const { link, inputs, until, pbx } = await start(t, announces);
      pbx.refused = 1;
      link.ask.channels();
      await until(() => link.status().counters.bad === 1);
      link.ask.channels();
      await until(() => inputs.length === 2);
      assert.deepEqual(types(inputs), ['snapshot', 'channels-listed']);
      assert.deepEqual(uniqueids(inputs), [whole, whole]);
      assert.equal(link.status().counters.bad, 1);
    });
  }
});

test('an event is not believed before it is known how it goes on, and waits for nothing else', async (t) => {
  const { player, port } = await startPlayer(t);
  // No ping is answered within the event.
  const { inputs, said, until } = startLine(t, { port }, { longestMs: 60_000 });
  await until(() => said.length === 1);
  // The number that was dialled seems to end the event with the ids of another call.
  const ids = 'Priority: 1\r\nUniqueid: 1.1\r\nLinkedid: 1.1';
  const bytes = `${channelEvent('Newstate', '1.2', { Exten: `1\r\n${ids}\r\n` })}\r\n\r\n`;
  const within = bytes.lastIndexOf('Priority') + 20;
  player.sendRaw(bytes.slice(0, within));
  await setTimeout(50);
  assert.equal(inputs.length, 1);
  player.sendRaw(bytes.slice(within));
  await until(() => inputs.length === 2);
  const [, state] = inputs;
  assert.equal(state?.type === 'channel-state' && state.uniqueid, '1.2');
});

test('a 10 MB line costs one frame, and the channels are read again', async (t) => {
  const { player, port } = await startPlayer(t);
  const { link, inputs, said, until } = startLine(t, { port });
  await until(() => said.length === 1);
  player.sendRaw(`${channelEvent('Newchannel', '1.1')}\r\nCallerIDName: `);
  for (let megabyte = 0; megabyte < 10; megabyte++) player.sendRaw(Buffer.alloc(1024 * 1024, 'x'));
  player.sendRaw('\r\n\r\n');
  player.send(channelEvent('Newchannel', '1.2'));
  await until(() => inputs.filter(({ type }) => type === 'snapshot').length === 2);

  assert.deepEqual(types(inputs), ['snapshot', 'channel-created', 'snapshot']);
  assert.deepEqual(said[1], { code: 'ami.frame-lost', fields: { event: 'Newchannel' } });
  assert.equal(link.status().counters.tooLong, 1);
  assert.equal(link.status().counters.connects, 1);
});

for (const [what, bad] of [
  ['user name with a line feed', { username: 'a\nAction: Originate' }],
  ['secret with a carriage return', { secret: 'hush\rSecret: b' }],
  ['secret with a NUL', { secret: 'hush\0' }],
] as const) {
  test(`refused, without being shown: ${what}`, () => {
    assert.throws(
      () =>
        createAmiLink(
          { host: '127.0.0.1', port: 1, ...account, ...bad },
          { log: silentLog, clock: systemClock, random: () => 0 },
        ),
      (error) => error instanceof UnsafeValueError && !/hush|Originate/.test(error.message),
    );
  });
}
