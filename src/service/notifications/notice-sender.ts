import type { Mailer } from '../../shared/mail/mail.ts';
import type { Account } from '../accounts/account.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { formatsFor } from '../kit/formats.ts';
import { wordsFor } from '../words/words.ts';
import type { MissedPerson } from './due-notices.ts';
import { missedMail, missedPush, testMail, testPush } from './notice-texts.ts';
import type { Notification } from './notification.ts';
import type { NotificationStore } from './notification-store.ts';
import type { WebPush } from './web-push.ts';

export type NoticeSender = ReturnType<typeof createNoticeSender>;

/** To whom a message goes. */
type To = Notification & { readonly language: string };

/** Writes messages in the language of their user and sends them. `origin`: the service's address as people reach it. */
export function createNoticeSender({
  store,
  directory,
  mailer,
  webPush,
  origin,
}: {
  readonly store: { readonly notifications: NotificationStore };
  readonly directory: Pick<ServiceDirectory, 'extensions'>;
  /** Undefined: no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly webPush: WebPush;
  readonly origin: () => string;
}) {
  /** Sends to all browsers of a user, and forgets those that are gone. @throws if none got it, and one may get it later */
  async function push(user: number, message: object): Promise<void> {
    const devices = await store.notifications.devices(user);
    const results = await Promise.all(
      devices.map(async (device) => {
        const result = await webPush.send(device, message);
        if (result === 'gone') await store.notifications.removeDevice(user, device.endpoint);
        return result;
      }),
    );
    if (results.includes('failed') && !results.includes('sent')) throw new Error('no push service took it');
  }

  const readerOf = (account: Account, language: string, now: number) => {
    const words = wordsFor(language);
    const formats = formatsFor(account.timeZone, words.locale);
    return { words, formats, extensions: directory.extensions(account.id), office: account.name, now };
  };

  return {
    /** Whether messages can be sent at all. */
    canSend: ({ medium }: Pick<Notification, 'medium'>): boolean => medium === 'push' || mailer !== undefined,
    /** Tells a user of missed people. @throws if nobody took it */
    async send(to: To, account: Account, people: readonly MissedPerson[], now: number): Promise<void> {
      const reader = readerOf(account, to.language, now);
      if (to.medium === 'push') await push(to.user, missedPush(people, reader));
      else await mailer?.send({ to: to.address, ...missedMail(people, origin(), reader) });
    },
    /** Sends a test. @throws if nobody took it */
    async test(to: To, account: Account, now: number): Promise<void> {
      const reader = readerOf(account, to.language, now);
      if (to.medium === 'push') await push(to.user, testPush(reader));
      else await mailer?.send({ to: to.address, ...testMail(reader, origin()) });
    },
  };
}
