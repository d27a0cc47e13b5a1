import type { Socket } from 'node:net';
import type { Fields } from './pbx-model.ts';

/** The simulated PBX behind a manager connection. */
type PlayedPbx = {
  readonly username: string;
  readonly secret: string;
  readonly version: string;
  readonly systemName: string;
  /** Classes that the manager user has, as in manager.conf. */
  readonly read: ReadonlySet<string>;
  readonly write: ReadonlySet<string>;
  /** While true nothing is read or answered: the other half of a half-open connection. */
  silent(): boolean;
  refusesLogins(): boolean;
  channels(): readonly Fields[];
  status(channel: string): Fields | undefined;
  bridges(): readonly Fields[];
  /** Contexts of the dialplan. */
  readonly contexts: readonly string[];
  /** Lines of the dialplan, as ShowDialPlan lists them. */
  readonly dialplan: readonly DialplanLine[];
  /** Phones and trunks, such as `PJSIP/1001`, with the contexts in which their calls begin. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Values of dialplan functions, such as `AST_CONFIG(cdr.conf,general,batch)`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Unix milliseconds. */
  now(): number;
};

export type DialplanLine = Readonly<
  Record<'Context' | 'Extension' | 'Priority' | 'Application' | 'AppData', string>
>;

/** One manager connection as Asterisk would serve it. */
export type PlayerSession = {
  isLoggedIn(): boolean;
  /** Sends an event's frame, given without its blank line, if the user is logged in and may see it. */
  sendEvent(frame: Buffer): void;
};

type Action = ReadonlyMap<string, string>;

/** @param write puts bytes on the wire. */
export function servePlayer(socket: Socket, pbx: PlayedPbx, write: (bytes: Buffer) => void): PlayerSession {
  let loggedIn = false;
  let unread = '';
  const actions: Readonly<Record<string, (action: Action) => void>> = {
    login,
    logoff: (action) => {
      respond(action, 'Goodbye', { Message: 'Thanks for all the fish.' });
      socket.end();
    },
    ping: (action) => respond(action, 'Success', { Ping: 'Pong', Timestamp: (pbx.now() / 1000).toFixed(6) }),
    events: (action) => respond(action, 'Success', { Events: 'On' }),
    coresettings: (action) => {
      if (may(action, 'reporting', 'system')) {
        respond(action, 'Success', {
          AMIversion: '9.0.0',
          AsteriskVersion: pbx.version,
          SystemName: pbx.systemName,
        });
      }
    },
    coreshowchannels: (action) => {
      if (may(action, 'reporting', 'system'))
        list(action, 'CoreShowChannel', pbx.channels(), 'CoreShowChannelsComplete');
    },
    status: (action) => {
      if (!may(action, 'reporting', 'call', 'system')) return;
      const row = pbx.status(action.get('channel') ?? '');
      if (row === undefined) respond(action, 'Error', { Message: 'No such channel' });
      else list(action, 'Status', [row], 'StatusComplete');
    },
    bridgelist: (action) => list(action, 'BridgeListItem', pbx.bridges(), 'BridgeListComplete'),
    listcommands: (action) => respond(action, 'Success', commandsOf(pbx.write)),
    showdialplan: (action) => {
      const only = action.get('context');
      const all = [...pbx.contexts.map((Context) => ({ Context })), ...pbx.dialplan];
      const rows = all
        .filter(({ Context }) => only === undefined || Context === only)
        .map((line) => new Map(Object.entries(line)));
      if (may(action, 'reporting', 'config')) list(action, 'ListDialplan', rows, 'ShowDialPlanComplete');
    },
    getvar: (action) => {
      const variable = action.get('variable') ?? '';
      const [, technology, name] =
        /^(PJSIP|SIP|IAX)_?(?:ENDPOINT|PEER)\((.*),context\)$/.exec(variable) ?? [];
      const context = pbx.endpoints[`${technology}/${name}`];
      const value = pbx.variables[variable] ?? context ?? '';
      if (may(action, 'reporting', 'call')) respond(action, 'Success', { Variable: variable, Value: value });
    },
    // As on Asterisk 16, in which chan_sip's peers have no device state before they register.
    sippeers: (action) => {
      const peers = Object.keys(pbx.endpoints).flatMap((device) => device.match(/(?<=^SIP\/).+/)?.[0] ?? []);
      const rows = peers.map((peer) => new Map([['ObjectName', peer]]));
      if (may(action, 'reporting', 'system')) list(action, 'PeerEntry', rows, 'PeerlistComplete');
    },
    devicestatelist: (action) => {
      const devices = Object.keys(pbx.endpoints).filter((device) => !device.startsWith('SIP/'));
      const rows = devices.map((device) => new Map([['Device', device]]));
      if (may(action, 'reporting', 'call'))
        list(action, 'DeviceStateChange', rows, 'DeviceStateListComplete');
    },
  };

  send('Asterisk Call Manager/9.0.0\r\n');
  socket.on('data', (bytes) => {
    if (pbx.silent()) return;
    unread += bytes.toString('latin1');
    for (let end = unread.indexOf('\r\n\r\n'); end >= 0; end = unread.indexOf('\r\n\r\n')) {
      const rows = unread.slice(0, end).split('\r\n');
      unread = unread.slice(end + 4);
      answer(
        new Map(rows.map((row) => [row.split(':', 1)[0]?.toLowerCase() ?? '', row.replace(/^[^:]*: ?/, '')])),
      );
    }
  });

  function answer(action: Action): void {
    const name = action.get('action')?.toLowerCase() ?? '';
    const known = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!loggedIn && name !== 'login') respond(action, 'Error', { Message: 'Permission denied' });
    else if (known === undefined)
      respond(action, 'Error', { Message: 'Invalid/unknown command: use ListCommands' });
    else known(action);
  }

  function login(action: Action): void {
    const right = action.get('username') === pbx.username && action.get('secret') === pbx.secret;
    if (!right || pbx.refusesLogins()) {
      respond(action, 'Error', { Message: 'Authentication failed' });
      socket.end();
      return;
    }
    loggedIn = true;
    respond(action, 'Success', { Message: 'Authentication accepted' });
  }

  function may(action: Action, ...classes: string[]): boolean {
    if (classes.some((name) => pbx.write.has(name))) return true;
    respond(action, 'Error', { Message: 'Permission denied' });
    return false;
  }

  function respond(action: Action, response: string, fields: Readonly<Record<string, string>>): void {
    const rows = Object.entries({ Response: response, ActionID: action.get('actionid') ?? '', ...fields });
    send(`${rows.map((row) => row.join(': ')).join('\r\n')}\r\n\r\n`);
  }

  function list(action: Action, item: string, rows: readonly Fields[], last: string): void {
    const id = action.get('actionid') ?? '';
    respond(action, 'Success', { EventList: 'start', Message: 'A list will follow' });
    for (const row of rows) {
      const lines = [...row].map(([key, value]) => `${key}: ${value}\r\n`);
      send(`Event: ${item}\r\nActionID: ${id}\r\n${lines.join('')}\r\n`);
    }
    send(`Event: ${last}\r\nActionID: ${id}\r\nEventList: Complete\r\nListItems: ${rows.length}\r\n\r\n`);
  }

  function sendEvent(frame: Buffer): void {
    if (!loggedIn || pbx.silent() || !maySee(frame)) return;
    write(Buffer.concat([frame, blankLine]));
  }

  /** An event is sent to users that have all of its classes, those of its Privilege line but `all`. */
  function maySee(frame: Buffer): boolean {
    const classes = /^Privilege: (.*)$/m.exec(frame.toString('latin1'))?.[1]?.trim().split(',') ?? [];
    return classes.every((name) => name === 'all' || pbx.read.has(name));
  }

  function send(text: string): void {
    write(Buffer.from(text, 'latin1'));
  }

  return { isLoggedIn: () => loggedIn, sendEvent };
}

/** An action of each class; ListCommands lists those that the user may use. */
const commands = [
  ['originate', 'Originate'],
  ['command', 'Command'],
  ['config', 'UpdateConfig'],
  ['system', 'DBPut'],
  ['call', 'Redirect'],
  ['reporting', 'CoreShowChannels'],
] as const;

function commandsOf(write: ReadonlySet<string>): Record<string, string> {
  const may = commands.filter(([right]) => write.has(right));
  return Object.fromEntries([
    ['Ping', 'Keepalive command. (Priv: <none>)'],
    ...may.map(([right, command]) => [command, `${command}. (Priv: ${right},all)`]),
  ]);
}

const blankLine = Buffer.from('\r\n\r\n');
