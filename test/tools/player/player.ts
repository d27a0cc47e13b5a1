import net from 'node:net';
import tls from 'node:tls';
import type { Recording } from '../../../src/bridge/ami/recording/recording.ts';
import { allFields, recordable } from '../../../src/bridge/ami/wire/frame.ts';
import type { Clock } from '../../../src/shared/process/clock.ts';
import { createPbxModel, type Fields } from './pbx-model.ts';
import { createPlayback, type Playback, type PlaybackRun } from './playback.ts';
import { type DialplanLine, type PlayerSession, servePlayer } from './player-session.ts';
import { createIdRewriter, type IdSource } from './rewrite-ids.ts';

export type PlayerOptions = {
  readonly username: string;
  readonly secret: string;
  /** Any free port when absent. */
  readonly port?: number | undefined;
  /** 127.0.0.1 when absent. */
  readonly host?: string | undefined;
  /** The version that CoreSettings answers. */
  readonly version?: string | undefined;
  /** The `systemname` of asterisk.conf, which it answers too; '' when absent. */
  readonly systemName?: string | undefined;
  /** The manager user's classes; read `call` and write `reporting` when absent. */
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Contexts of the dialplan; none when absent. */
  readonly contexts?: readonly string[] | undefined;
  /** Lines of the dialplan; none when absent. */
  readonly dialplan?: readonly DialplanLine[] | undefined;
  /** Phones and trunks, such as `PJSIP/1001`, with the contexts in which their calls begin; none when absent. */
  readonly endpoints?: Readonly<Record<string, string>> | undefined;
  /** Values of dialplan functions; none when absent. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Serves AMI over TLS. */
  readonly tls?: tls.TlsOptions | undefined;
  readonly clock: Clock;
};

type PlayOptions = {
  /** How many times faster than recorded; Infinity sends everything at once. 1 when absent. */
  readonly speed?: number | undefined;
  /** Gives channels and bridges new names, as a call that is made now would have; true when absent. */
  readonly rename?: boolean | undefined;
};

/** An Asterisk's manager interface that plays recordings, over TCP, for tests and demonstrations. */
export type Player = {
  /** Listens. After `crash` again on the same port. */
  listen(): Promise<{ readonly port: number }>;
  /** Plays a recording in its own time; several may play at once. Resolves after its last frame. */
  play(recording: Recording, options?: PlayOptions): Promise<void>;
  /** Loads a recording, to be played frame by frame with `step`. */
  load(recording: Recording, options?: Pick<PlayOptions, 'rename'>): Playback;
  /** Sends a frame (without its blank line) to all logged-in sessions, and applies it to the model of the PBX. */
  send(frame: string | Buffer): void;
  /** Sends bytes to all connections as they are. */
  sendRaw(bytes: string | Buffer): void;
  /** What CoreShowChannels would list now. */
  channels(): readonly Fields[];
  /** Connections that are open now. */
  connections(): number;
  /** Whether a connection is logged in now: only those get events. */
  hasLogin(): boolean;
  /** Ends all connections, with a reset when `hard`. */
  cut(options?: { readonly hard?: boolean }): void;
  /** Ends all connections after this many more bytes have been sent, also in the middle of a frame. */
  cutAfter(bytes: number): void;
  /** Half-open: while true nothing is read, answered or sent. */
  setSilent(silent: boolean): void;
  setRefuseLogins(refuse: boolean): void;
  /** Asterisk is killed: connections end, the port is closed, all channels are gone without a Hangup. */
  crash(): Promise<void>;
  close(): Promise<void>;
};

/**
 * How long the rest of a recording waits for a question that was asked at this place when it was recorded: at full
 * speed the call would be over before it can be asked.
 */
const maxWaitMs = 500;

export function createPlayer(options: PlayerOptions): Player {
  const { clock, host = '127.0.0.1' } = options;
  let port = options.port ?? 0;
  let model = createPbxModel();
  let silent = false;
  let refuseLogins = false;
  /** Bytes until the cut that `cutAfter` asked for. */
  let bytesLeft = Number.POSITIVE_INFINITY;
  const ids: IdSource = { channels: 0, names: 0, bridges: 0 };
  const sessions = new Map<net.Socket, PlayerSession>();
  const runs = new Set<PlaybackRun>();
  const server = options.tls === undefined ? net.createServer(accept) : tls.createServer(options.tls, accept);
  // A client that gives up the TLS handshake is no fault of the player's.
  server.on('tlsClientError', () => {});

  function listen(): Promise<{ port: number }> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        const address = server.address();
        if (typeof address === 'object' && address !== null) port = address.port;
        resolve({ port });
      });
    });
  }

  function accept(socket: net.Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sessions.delete(socket));
    const pbx = {
      username: options.username,
      secret: options.secret,
      version: options.version ?? '22.10.0',
      systemName: options.systemName ?? '',
      read: new Set(options.read ?? ['call']),
      write: new Set(options.write ?? ['reporting']),
      silent: () => silent,
      refusesLogins: () => refuseLogins,
      channels: () => model.channels(),
      status: (channel: string) => model.status(channel),
      bridges: () => model.bridges(),
      contexts: options.contexts ?? [],
      dialplan: options.dialplan ?? [],
      endpoints: options.endpoints ?? {},
      variables: options.variables ?? {},
      now: clock.now,
    };
    const session = servePlayer(socket, pbx, (bytes) => put(socket, bytes));
    sessions.set(socket, session);
  }

  function put(socket: net.Socket, bytes: Buffer): void {
    if (bytes.length < bytesLeft) {
      bytesLeft -= bytes.length;
      socket.write(bytes);
      return;
    }
    socket.end(bytes.subarray(0, bytesLeft));
    bytesLeft = Number.POSITIVE_INFINITY;
    cut();
  }

  function send(frame: string | Buffer): void {
    const bytes = recordable(typeof frame === 'string' ? Buffer.from(frame) : frame);
    model.apply(bytes);
    for (const session of [...sessions.values()]) session.sendEvent(bytes);
  }

  function sendRaw(bytes: string | Buffer): void {
    for (const socket of [...sessions.keys()]) put(socket, Buffer.from(bytes));
  }

  function load(recording: Recording, { rename = true }: Pick<PlayOptions, 'rename'> = {}): Playback {
    const rewrite = rename
      ? createIdRewriter(ids, clock.now() - recording.startedAt)
      : (frame: Buffer) => frame;
    for (const row of [...recording.channels, ...recording.bridges]) {
      model.apply(rewrite(recordable(Buffer.from(row))));
    }
    const frames = recording.frames.map(({ ms, frame }) => ({ ms, frame: recordable(frame) }));
    // What the recorder asked is answered again when a client asks, and not played.
    for (const { frame } of frames) if (isAnswer(frame)) model.apply(rewrite(frame));
    let asked = (): boolean => true;
    const playFrame = (frame: Buffer): void => {
      if (isAnswer(frame)) asked = askedSoon(rewrite(frame));
      else send(rewrite(frame));
    };
    return createPlayback(frames, playFrame, () => !asked());
  }

  /** True once the answer has been asked for, or will not be any more. */
  function askedSoon(answer: Buffer): () => boolean {
    const channel = allFields(answer).get('Channel') ?? '';
    const until = clock.now() + maxWaitMs;
    return () => !model.isUnasked(channel) || sessions.size === 0 || clock.now() > until;
  }

  async function play(recording: Recording, { speed = 1, ...how }: PlayOptions = {}): Promise<void> {
    const run = load(recording, how).run(clock, speed);
    runs.add(run);
    await run.done;
    runs.delete(run);
  }

  function cut({ hard = false }: { hard?: boolean } = {}): void {
    for (const socket of sessions.keys()) {
      if (hard) socket.resetAndDestroy();
      else socket.destroySoon();
    }
  }

  async function crash(): Promise<void> {
    await close();
    model = createPbxModel();
  }

  function close(): Promise<void> {
    for (const run of runs) run.stop();
    for (const socket of sessions.keys()) socket.destroy();
    return new Promise((resolve) => {
      server.close(() => resolve());
    });
  }

  return {
    listen,
    play,
    load,
    send,
    sendRaw,
    channels: () => model.channels(),
    connections: () => sessions.size,
    hasLogin: () => [...sessions.values()].some((session) => session.isLoggedIn()),
    cut,
    cutAfter(bytes) {
      bytesLeft = bytes;
    },
    setSilent(value) {
      silent = value;
    },
    setRefuseLogins(value) {
      refuseLogins = value;
    },
    crash,
    close,
  };
}

/** An answer to Status or its end: the recorder asks who may be shown, as the bridge does. */
function isAnswer(frame: Buffer): boolean {
  return frame.toString('latin1', 0, 20).startsWith('Event: Status');
}
