import { once } from 'node:events';
import net from 'node:net';
import type { TestContext } from 'node:test';
import { amiEvent } from '../../../test/tools/fakes/ami-event.ts';
import { createPlayer, type Player, type PlayerOptions } from '../../../test/tools/player/player.ts';
import { until } from '../../../test/tools/until.ts';
import type { Log, LogFields } from '../../shared/log/log.ts';
import type { MessageCode } from '../../shared/log/messages.ts';
import { type Clock, systemClock } from '../../shared/process/clock.ts';
import type { Input } from '../calls/input.ts';
import { type AmiLink, type AmiLinkOptions, createAmiLink } from './link.ts';

/** A link to a fake Asterisk, its inputs and its log. */
export type Line = {
  readonly link: AmiLink;
  readonly inputs: Input[];
  readonly said: { readonly code: MessageCode; readonly fields: LogFields }[];
  /** The waits that the link asked its clock for, in milliseconds. */
  readonly waits: number[];
  /** Resolves once the condition holds. */
  until(condition: () => boolean): Promise<void>;
};

export const account = { username: 'bridge', secret: 'let me in' } as const;

/** How long a link under test waits for answers: no test runs that long, however busy the machine. */
const ampleMs = 60_000;

/**
 * Starts a link; it is stopped when the test ends. Pauses take no longer than `longestMs`, deadlines for answers are
 * ample unless the test sets them.
 */
export function startLine(
  t: TestContext,
  options: Partial<AmiLinkOptions> & { port: number },
  {
    longestMs = 20,
    now = Date.now,
    onInput = (_: Input): void => {},
    onFrame = (_: Buffer, __: number): void => {},
  } = {},
): Line {
  const inputs: Input[] = [];
  const said: { code: MessageCode; fields: LogFields }[] = [];
  const waits: number[] = [];
  const log: Log = {
    say(code, fields = {}) {
      said.push({ code, fields });
    },
    child: () => log,
  };
  const clock: Clock = {
    now,
    setTimer(callback, ms) {
      waits.push(ms);
      return systemClock.setTimer(callback, ms === ampleMs ? ms : Math.min(ms, longestMs));
    },
  };
  const link = createAmiLink(
    {
      host: '127.0.0.1',
      ...account,
      connectDeadlineMs: ampleMs,
      answerDeadlineMs: ampleMs,
      pingDeadlineMs: ampleMs,
      ...options,
    },
    {
      onFrame,
      log,
      clock,
      random: () => 0.5,
    },
  );
  link.start((input) => {
    inputs.push(input);
    onInput(input);
  });
  t.after(() => link.stop());
  const state = () => ({
    said: said.map(({ code }) => code),
    inputs: inputs.map(({ type }) => type),
    status: link.status(),
  });
  const untilIt = (condition: () => boolean) =>
    until('the link to do what it should', condition, { state, everyMs: 5 }).then(() => {});
  return { link, inputs, said, waits, until: untilIt };
}

export async function startPlayer(
  t: TestContext,
  options: Partial<PlayerOptions> = {},
): Promise<{ player: Player; port: number }> {
  const player = createPlayer({ ...account, clock: systemClock, ...options });
  const { port } = await player.listen();
  t.after(() => player.close());
  return { player, port };
}

/** A server that does with each connection what the test says. */
export async function startServer(t: TestContext, serve: (socket: net.Socket) => void): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as net.AddressInfo).port;
}

/** Answers a connection's actions with the text that `answer` returns for each. */
export function serveActions(socket: net.Socket, answer: (action: string, id: string) => string): void {
  socket.write('Asterisk Call Manager/9.0.0\r\n');
  let unread = '';
  socket.on('data', (bytes) => {
    unread += bytes;
    const actions = unread.split('\r\n\r\n');
    unread = actions.pop() ?? '';
    for (const text of actions) {
      const field = (key: string): string => new RegExp(`^${key}: (.*)$`, 'im').exec(text)?.[1]?.trim() ?? '';
      socket.write(answer(field('Action').toLowerCase(), field('ActionID')));
    }
  });
}

/** The answer of a healthy Asterisk without calls; the list of `channels` as frames after their ActionID. */
export function healthyAnswer(action: string, id: string): string {
  const success = `Response: Success\r\nActionID: ${id}\r\n`;
  const list = (last: string): string =>
    `${success}\r\nEvent: ${last}\r\nActionID: ${id}\r\nEventList: Complete\r\n\r\n`;
  if (action === 'coreshowchannels') return list('CoreShowChannelsComplete');
  if (action === 'devicestatelist') return list('DeviceStateListComplete');
  if (action === 'sippeers') return list('PeerlistComplete');
  if (action === 'bridgelist') return list('BridgeListComplete');
  return `${success}\r\n`;
}

/** An event of one channel, without its blank line. */
export function channelEvent(
  event: string,
  uniqueid: string,
  more: Readonly<Record<string, string>> = {},
): string {
  return amiEvent(event, {
    Channel: `PJSIP/trunk-${uniqueid.replace(/\D/g, '').slice(-8).padStart(8, '0')}`,
    CallerIDNum: '+493012345',
    Exten: '100',
    Uniqueid: uniqueid,
    Linkedid: uniqueid,
    ...more,
  });
}
