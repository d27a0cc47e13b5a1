import { mailAddress } from '../../shared/mail/mail-address.ts';
import { section } from './section.ts';
import { duration, list, secret } from './variable.ts';

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
