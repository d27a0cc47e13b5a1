import type { Log } from '../../shared/log/log.ts';
import type { Mailer } from '../../shared/mail/mail.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import type { Keys } from '../accounts/keys.ts';
import type { Screens } from '../calls/screens.ts';
import type { Store } from '../database/store.ts';
import type { AccountTurns } from '../kit/account-turns.ts';
import type { Budgets, RateLimit } from '../kit/budget.ts';
import type { NoticeSender } from '../notifications/notice-sender.ts';
import type { WebPush } from '../notifications/web-push.ts';
import type { CallBackList } from '../people/call-back-list.ts';
import type { Meter } from '../upkeep/meter.ts';
import type { Observed } from '../upkeep/service-alerts.ts';
import type { Access } from '../users/access.ts';
import type { Sessions } from '../users/sessions.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** The services that routes use. */
export type ServiceContext = {
  readonly store: Store;
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
  readonly screens: Screens;
  readonly callBackList: CallBackList;
  readonly sessions: Sessions;
  readonly access: Access;
  readonly budgets: Budgets;
  readonly turns: AccountTurns;
  /** As people reach the service, if the settings say it: see publicAddress. */
  readonly publicUrl?: string | undefined;
  /** The address in links that are sent to others: see linkAddress. */
  readonly linkOrigin: () => string;
  /** Undefined: no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly webPush: WebPush;
  /** Tells users of missed calls. */
  readonly noticeSender: NoticeSender;
  /** Requests per minute and integration; null: no limit. */
  readonly perMinute: number | null;
  readonly rateLimit: RateLimit;
  /** How long calls are kept, ms; undefined: until they are deleted by hand. */
  readonly callsKeptMs: number | undefined;
  /** For metrics. */
  readonly meter: Meter;
  /** For alerts. */
  readonly observed: Observed;
  readonly webhooks: Pick<Webhooks, 'poke'>;
  /** Where they may be sent besides the Internet. */
  readonly webhookNetworks: readonly string[];
  /** Unix ms. */
  readonly clock: () => number;
  readonly log: Log;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Unix ms. */
    receivedAt: number;
    /** The same moment by the monotonic clock (preciseMs). */
    began: number;
    /** Set once the request is authenticated. */
    sender: Sender | null;
    /** The Content-Type as received (see body.ts). */
    contentType: string;
    /** The body as received. */
    payload: Buffer | null;
  }
}
