import type { ApiClientOptions } from '../shared/api/client.ts';
import type { MailOptions } from '../shared/mail/mail.ts';
import type { PageServerOptions } from '../shared/process/page-server.ts';
import type { LookupOptions } from './agi/agi.ts';
import type { AmiLinkOptions } from './ami/link.ts';
import type { BridgeAlertsConfig } from './bridge-alerts.ts';
import type { CallSettings } from './calls/rules.ts';
import type { SourceOptions } from './cdr/open-cdr-source.ts';

export type BridgeConfig = {
  readonly ami: AmiLinkOptions;
  readonly calls: CallSettings;
  /** Asterisk's own call records; absent: calls that were not observed are not reported. */
  readonly cdr: SourceOptions | undefined;
  readonly api: ApiClientOptions & {
    /** The phones whose calls to people who wait for a call back are reported: all, or globs of extensions. Absent: none. */
    readonly callBacks?: 'all' | readonly string[] | undefined;
  };
  /** Absent: no priority lookups are answered. */
  readonly agi: LookupOptions | undefined;
  readonly outbox: {
    readonly stateDir: string;
    /** How long delivered events are kept, ms. */
    readonly keepMs: number;
    /** Interval of comparisons with the API's history, ms; 0: none. */
    readonly reconcileEveryMs: number;
    /** How long the journal is kept, ms; 0: there is no journal. */
    readonly journalKeepMs: number;
    /** Head start of another bridge that reports the same calls, ms; 0: no other bridge. */
    readonly standbyDelayMs: number;
  };
  readonly status: PageServerOptions | undefined;
  readonly alerts: BridgeAlertsConfig['alerts'];
  readonly mail: MailOptions | undefined;
};

/** Settings that a running bridge can change: its logins, and the rules for the next calls. */
export type LiveConfig = {
  readonly ami: Pick<AmiLinkOptions, 'username' | 'secret'>;
  readonly api: Pick<ApiClientOptions, 'token'>;
  readonly calls: CallSettings;
};
