import type { MailOptions } from '../../shared/mail/mail.ts';
import { mailAddress } from '../../shared/mail/mail-address.ts';
import { duration, line, list, secret, section } from './variable.ts';

const isThisMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const alertSection = section({
  title: 'Alerts: problems by mail or webhook, when they begin and when they are over',
  shape: {
    ALERT_MAIL: list('a comma-separated list of addresses, such as ops@example.com', (item) =>
      mailAddress.test(item),
    )
      .prefault('')
      .describe('Addresses that get alerts by mail. Needs SMTP_URL and MAIL_FROM.'),
    ALERT_WEBHOOK: secret('an https address, or an http address of this machine')
      .refine((text) => {
        const url = URL.parse(text);
        return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine.test(url.hostname));
      })
      .optional()
      .describe(
        'Address that alerts are posted to as JSON with a field text, as Slack, Mattermost and Rocket.Chat take it.',
      ),
    ALERT_AFTER: duration('0s', '1d')
      .prefault('5m')
      .describe('How long a problem must last before it is announced.'),
  },
  conflicts: ({ ALERT_MAIL }, { mail }) =>
    ALERT_MAIL.length > 0 && mail !== undefined && mail.SMTP_URL === undefined
      ? ['ALERT_MAIL: is set, but SMTP_URL is not; set SMTP_URL and MAIL_FROM']
      : [],
  build: (values) => ({
    mail: values.ALERT_MAIL,
    webhook: values.ALERT_WEBHOOK,
    afterMs: values.ALERT_AFTER,
  }),
});

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
