import type { MailOptions } from '../../shared/mail/mail.ts';
import { section } from './section.ts';
import { line, secret } from './variable.ts';

const sender = /^([^<>\r\n\0]*<[^\s@<>,;:"\\]+@[^\s@<>,;:"\\]+>|[^\s@<>,;:"\\]+@[^\s@<>,;:"\\]+)$/;

export const mailSection = section({
  title: 'Mail',
  shape: {
    SMTP_URL: secret(
      'smtp://HOST, smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT, with @ : / % and # in user and password written as %40 %3A %2F %25 and %23',
      /^smtps?:\/\/[^\s@/?#]+(@[^\s@/?#]+)?\/?$/,
    )
      .refine((text) => serverOf(text) !== undefined)
      .optional()
      .describe(
        'Mail server. With a login, smtp:// needs STARTTLS, except on this machine. Default ports: 587 with a login, 25 without, 465 for smtps.',
      ),
    MAIL_FROM: line('an address such as pbx@example.com or Phones <pbx@example.com>', sender)
      .optional()
      .describe('Sender of all mail.'),
  },
  conflicts: ({ SMTP_URL, MAIL_FROM }) =>
    (SMTP_URL === undefined) === (MAIL_FROM === undefined)
      ? []
      : [
          `${SMTP_URL === undefined ? 'MAIL_FROM' : 'SMTP_URL'}: is set alone; takes SMTP_URL and MAIL_FROM together`,
        ],
  build: ({ SMTP_URL, MAIL_FROM }): MailOptions | undefined => {
    const server = SMTP_URL === undefined ? undefined : serverOf(SMTP_URL);
    return server && MAIL_FROM !== undefined ? { ...server, from: MAIL_FROM } : undefined;
  },
});

function serverOf(text: string): Omit<MailOptions, 'from'> | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return undefined;
  try {
    const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    if ((user === '') !== (pass === '')) return undefined;
    const secure = url.protocol === 'smtps:';
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(url.port) || (secure ? 465 : user === '' ? 25 : 587),
      secure,
      login: user === '' ? undefined : { user, pass },
    };
  } catch {
    return undefined; // a % that encodes nothing
  }
}
