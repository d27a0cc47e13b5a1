import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { until } from '../../../test/tools/until.ts';

/** A mail as it arrived: the envelope's addresses, and the text with its headers. */
export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly data: string;
  readonly secure: boolean;
  readonly user: string | undefined;
};

/** A real SMTP server on a free port of this machine; `certificate`: paths of PEM files. Recipients that begin with `no` are refused. */
export async function startMailServer({
  certificate,
  ...options
}: SMTPServerOptions & { certificate?: { key: string; cert: string } } = {}) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: certificate ? [] : ['STARTTLS'],
    ...(certificate && { key: readFileSync(certificate.key), cert: readFileSync(certificate.cert) }),
    onAuth: ({ username, password }, _, done) =>
      password === 'p@ss' ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _, done) =>
      done(address.startsWith('no') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          data: Buffer.concat(chunks).toString(),
          secure: session.secure,
          user: session.user as string | undefined,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {}); // clients that refuse the certificate
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    /** Resolves when this number of mails has arrived in all. */
    async has(count: number): Promise<readonly ReceivedMail[]> {
      await until(`${count} mails`, () => received.length >= count, { state: () => received });
      return received;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A server that accepts connections and says nothing. */
export async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
