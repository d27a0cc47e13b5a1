import { connect, type Socket } from 'node:net';
import { trustSystemAuthorities } from '../process/authorities.ts';
import { messageOf } from '../process/parse-json.ts';

export type MailOptions = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps). Otherwise STARTTLS: always with a login, else if the server offers it. */
  readonly secure: boolean;
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** `pbx@example.com` or `Phones <pbx@example.com>` */
  readonly from: string;
};

export type Mail = {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
};

/** For connecting and sending together, ms. */
const DEADLINE_MS = 30_000;

const thisMachine = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

export type Mailer = ReturnType<typeof createMailer>;

export function createMailer(options: MailOptions, deadlineMs = DEADLINE_MS) {
  const { host, port, secure, login, from } = options;
  const server = `the mail server ${host}:${port}`;
  const isLocal = thisMachine.test(host);
  // Only where mail is set up: it takes 20 MB. Not with the first mail, which may say that the disk is broken.
  const nodemailer = import('nodemailer');
  trustSystemAuthorities();

  return {
    /**
     * Hands one mail to the mail server; the server delivers it. There is one attempt only.
     * @throws Error with a sentence for an operator, without the password.
     */
    async send({ to, ...content }: Mail) {
      // Our own socket, since nodemailer's own time limits begin again with each reply.
      let socket: Socket | undefined;
      const late = new Error(`${server} did not accept the mail within ${deadlineMs / 1_000} s`);
      const deadline = Promise.withResolvers<never>();
      const timer = setTimeout(() => deadline.reject(late), deadlineMs);
      const { createTransport } = await nodemailer;
      const transport = createTransport({
        host,
        port,
        secure,
        auth: login,
        getSocket: (_: unknown, done: (error: Error | null, connected?: { connection: Socket }) => void) => {
          const opened = connect({ host, port });
          socket = opened;
          opened.once('connect', () => done(null, { connection: opened }));
          opened.once('error', done);
        },
        requireTLS: login !== undefined && !isLocal,
        // A mail server on this machine often has a self-signed certificate. Without a login, even plain text is accepted.
        tls: { rejectUnauthorized: !isLocal && (secure || login !== undefined) },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const sending = transport.sendMail({
        ...content,
        from,
        // As an object: a comma in it is not a second recipient.
        to: { name: '', address: to },
        // Out-of-office replies are not sent to programs.
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      try {
        await Promise.race([sending, deadline.promise]);
      } catch (error) {
        throw error === late ? late : explain(error);
      } finally {
        clearTimeout(timer);
        socket?.destroy();
      }
    },
  };

  function explain(error: unknown): Error {
    const { code, response } = error as { code?: string; response?: string };
    const answer = response ?? messageOf(error);
    if (code === 'EAUTH') return new Error(`${server} refused the login: ${answer}`);
    if (code === 'EENVELOPE') return new Error(`${server} refused the sender or the recipient: ${answer}`);
    if (code === 'ETLS') return new Error(`${server} offers no trusted TLS connection: ${answer}`);
    if (response !== undefined) return new Error(`${server} refused the mail: ${answer}`);
    return new Error(`${server} cannot be reached: ${answer}`);
  }
}
