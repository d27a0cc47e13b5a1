import { type AlertSettings, alertTargets } from '../../shared/alerts/alert-targets.ts';
import type { ApiClientOptions } from '../../shared/api/client.ts';
import { proxyFor } from '../../shared/api/result.ts';
import type { MailOptions } from '../../shared/mail/mail.ts';

/** The settings that say where the alerts of a bridge go. */
export type AlertAddresses = {
  readonly alerts: AlertSettings;
  readonly mail: MailOptions | undefined;
  readonly api: ApiClientOptions;
  readonly calls: { readonly pbxId: string };
};

/** The targets of a bridge's alerts. A webhook is reached through the same proxies as the API. */
export function bridgeAlertTargets({ alerts, mail, api, calls }: AlertAddresses) {
  const { webhook } = alerts;
  const proxy = webhook === undefined ? undefined : proxyFor(webhook, api.proxies ?? {});
  return alertTargets(alerts, { program: 'bridge', name: calls.pbxId }, { server: mail, proxy });
}
