import { connect, type Socket } from 'node:net';

/** A frame of the manager interface: its keys in the order and number they came, and its own text. */
export type Frame = { readonly fields: Readonly<Record<string, string>>; readonly text: string };

/** A connection to Asterisk's manager interface as the lab's own eyes and hands. */
export type Ami = {
  /** Sends an action and gives its response; throws if Asterisk refuses it. */
  action(name: string, fields?: Readonly<Record<string, string>>): Promise<Frame>;
  /** Sends an action whose answer is a list; gives the list's items. */
  list(name: string, itemEvent: string): Promise<Frame[]>;
  close(): void;
};

/** Connects, logs in and gives every event from then on to `onEvent`, with the bytes it came in. */
export async function connectAmi(options: {
  readonly port: number;
  readonly username: string;
  readonly secret: string;
  readonly onEvent?: (frame: Frame, bytes: Buffer) => void;
}): Promise<Ami> {
  const socket = await open(options.port);
  const waiting = new Map<string, (frame: Frame) => void>();
  const lists = new Map<string, { items: Frame[]; done: (items: Frame[]) => void }>();
  let lastId = 0;

  onFrames(socket, (bytes) => {
    const frame = parse(bytes);
    const id = frame.fields.ActionID ?? '';
    const list = lists.get(id);
    if (frame.fields.Response !== undefined) waiting.get(id)?.(frame);
    else if (list && frame.fields.EventList === 'Complete') list.done(list.items);
    else if (list) list.items.push(frame);
    else options.onEvent?.(frame, bytes);
  });

  const action = (name: string, fields: Readonly<Record<string, string>> = {}, id = `lab-${++lastId}`) =>
    new Promise<Frame>((resolve, reject) => {
      const fail = () => reject(new Error(`Asterisk closed the manager connection during ${name}`));
      // One that is closed already does not say so again.
      if (socket.destroyed) return fail();
      socket.once('close', fail);
      waiting.set(id, (frame) => {
        waiting.delete(id);
        socket.off('close', fail);
        if (frame.fields.Response === 'Success' || frame.fields.Response === 'Goodbye') resolve(frame);
        else reject(new Error(`Asterisk refused ${name}: ${frame.fields.Message}`));
      });
      const lines = Object.entries({ Action: name, ActionID: id, ...fields }).map(
        ([key, value]) => `${key}: ${value}`,
      );
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    });

  await action('Login', { Username: options.username, Secret: options.secret });
  return {
    action: (name, fields) => action(name, fields),
    list(name, itemEvent) {
      const id = `lab-${++lastId}`;
      return new Promise((resolve, reject) => {
        lists.set(id, {
          items: [],
          done(items) {
            lists.delete(id);
            resolve(items.filter((item) => item.fields.Event === itemEvent));
          },
        });
        action(name, {}, id).catch((error) => {
          lists.delete(id);
          // An empty table is answered with an error by some list actions.
          if (/no .*(found|bridges|channels)/i.test(String(error))) resolve([]);
          else reject(error);
        });
      });
    },
    close: () => socket.destroy(),
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.off('error', reject);
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Cuts the stream into frames: the greeting line is none, an empty line ends each. */
function onFrames(socket: Socket, onFrame: (bytes: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  let greeted = false;
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    if (!greeted) {
      const end = rest.indexOf('\r\n');
      if (end < 0) return;
      rest = rest.subarray(end + 2);
      greeted = true;
    }
    for (let end = endOf(rest); end >= 0; end = endOf(rest)) {
      onFrame(Buffer.from(rest.subarray(0, end + 2)));
      rest = rest.subarray(end + 4);
    }
  });
}

/** Where the frame's blank line is. One behind a number is in that number: Asterisk goes on with the name. */
function endOf(bytes: Buffer): number {
  let end = bytes.indexOf('\r\n\r\n');
  while (end >= 0 && /(CallerIDNum|ConnectedLineNum): [^\n]*$/.test(bytes.toString('latin1', 0, end)))
    end = bytes.indexOf('\r\n\r\n', end + 4);
  return end;
}

function parse(bytes: Buffer): Frame {
  const text = bytes.toString('utf8');
  const fields = Object.fromEntries(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trim()]] : [];
    }),
  );
  // A number may have lines in it: of a key that is repeated the last is Asterisk's, but for the event's name.
  const [, event] = /^Event: (.*)\r$/m.exec(text) ?? [];
  return { fields: event === undefined ? fields : { ...fields, Event: event }, text };
}
