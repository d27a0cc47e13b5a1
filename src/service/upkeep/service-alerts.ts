import { hostname } from 'node:os';
import { join } from 'node:path';
import { type AlertSettings, alertTargets } from '../../shared/alerts/alert-targets.ts';
import { type Alerts, createAlerts } from '../../shared/alerts/alerts.ts';
import { watchDisk } from '../../shared/alerts/machine-problems.ts';
import { type Problem, type ProblemKey, problem } from '../../shared/alerts/problem.ts';
import type { Log } from '../../shared/log/log.ts';
import type { MailOptions } from '../../shared/mail/mail.ts';
import { messageOf } from '../../shared/process/parse-json.ts';
import { within } from '../../shared/process/within.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Store } from '../database/store.ts';
import { phoneSystems } from '../integrations/phone-systems.ts';
import { machineZone } from '../kit/formats.ts';
import type { Backups } from './backups.ts';

/** What is seen of the requests to this process. */
export type Observed = {
  /** An entry was stored, or could not be. */
  stored(error?: unknown): void;
  /** When an entry could not be stored, Unix ms; null if one was stored since. */
  failedAt(): number | null;
};

export type ServiceAlertSettings = AlertSettings & {
  /** How often to look for problems, ms. */
  readonly everyMs?: number;
};

type Parts = {
  readonly store: Store;
  readonly directory: ServiceDirectory;
  readonly backups: Backups | undefined;
  readonly clock: () => number;
  readonly log: Log;
};

/** A phone system that was refused tries again within minutes. */
const REFUSED_MS = 10 * 60_000;
/** A replaced token that a phone system has used within the last hour is announced this long before it ends. */
const ENDS_MS = 86_400_000;
const IN_USE_MS = 3_600_000;
/** A storage that takes longer hangs. */
const STORAGE_MS = 10_000;
/** How often to look for silent phone systems. */
const SILENT_MS = 5 * 60_000;

/** Keys of problems of phone systems and webhooks, which can be removed. */
const removable = /^(?:token|old-token|silent|webhook|webhook-off)-/;

/** What a service is called in its alerts. */
export const alertName = (hosts: readonly string[]) => hosts[0] ?? hostname();

export const serviceAlertTargets = (settings: AlertSettings, server: MailOptions | undefined, name: string) =>
  alertTargets(settings, { program: 'service', name }, { server });

/** Why the storage does not answer; undefined if it does. */
async function storageError(store: Pick<Store, 'about'>): Promise<string | undefined> {
  try {
    const answers = await within(STORAGE_MS, store.about());
    return answers ? undefined : `no answer within ${STORAGE_MS / 1_000} s`;
  } catch (error) {
    return messageOf(error);
  }
}

/** The alerts of the service. With several processes, one of them is given ALERT_MAIL and ALERT_WEBHOOK. */
export function makeServiceAlerts(
  options: {
    readonly stateDir: string;
    /** Of the service, in alerts: a host. */
    readonly name: string;
    readonly alerts: ServiceAlertSettings;
    readonly mail: MailOptions | undefined;
  },
  { store, directory, backups, clock, log }: Parts,
): Alerts & Observed {
  const { stateDir, alerts, mail, name } = options;
  const lookAtDisk = watchDisk(stateDir);
  const startedAt = clock();
  let notStored: { readonly error: string; readonly at: number } | undefined;
  let webhookKeys: ProblemKey[] = [];
  let silent: { at: number; problems: Problem[] } = { at: Number.NEGATIVE_INFINITY, problems: [] };

  async function storageProblems(): Promise<Problem[]> {
    const error = notStored?.error ?? (await storageError(store));
    return error === undefined ? [] : [problem('storage', 'service.not-stored', { error })];
  }

  const integrations = () =>
    directory.accounts().flatMap((account) =>
      directory.integrations(account.id).map((integration) => ({
        integration,
        fields: { integration: integration.name, account: account.name },
      })),
    );

  const keys = (kind: 'token' | 'old-token' | 'silent') =>
    integrations().map(({ integration }) => `${kind}-${integration.id}` as const);

  const tokenProblems = (now: number): Problem[] =>
    integrations().flatMap(({ integration: { id }, fields }) => {
      const { at = 0 } = directory.refused(id) ?? {};
      return now - at > REFUSED_MS ? [] : [problem(`token-${id}`, 'service.token-refused', fields)];
    });

  /** Phone systems that still use a replaced token that ends soon. */
  async function oldTokenProblems(now: number): Promise<Problem[]> {
    const problems: Problem[] = [];
    for (const { integration, fields } of integrations()) {
      const { id, oldTokenUntil: until } = integration;
      if (until === null || until <= now || until - now > ENDS_MS) continue;
      const [last] = await store.directory.oldTokenUses(integration);
      if (last === undefined || now - last.lastAt > IN_USE_MS) continue;
      const ends = new Date(until).toISOString().slice(0, 16).replace('T', ' ');
      problems.push(
        problem(`old-token-${id}`, 'service.old-token-ends', { ...fields, ends }, { atOnce: true }),
      );
    }
    return problems;
  }

  /** One account after the other: people's reads come between. */
  async function silentProblems(now: number): Promise<Problem[]> {
    if (now - silent.at < SILENT_MS && now >= silent.at) return silent.problems;
    const problems: Problem[] = [];
    for (const { id, name, timeZone } of directory.accounts()) {
      const about = { account: id, timeZone: timeZone ?? machineZone(), now };
      for (const system of await phoneSystems(directory.integrations(id), store.requests, about)) {
        const fields = { integration: system.name, account: name };
        const since = system.lastAt ?? now;
        if (system.unusual)
          problems.push(
            problem(`silent-${system.integration}`, 'service.phone-system-silent', fields, {
              since,
              atOnce: true,
            }),
          );
      }
    }
    silent = { at: now, problems };
    return problems;
  }

  /** Webhooks that were switched off by the service, or fail. */
  async function webhookProblems(): Promise<Problem[]> {
    const webhooks = await store.webhooks.list(null);
    webhookKeys = webhooks.flatMap(({ id }) => [`webhook-${id}` as const, `webhook-off-${id}` as const]);
    return webhooks.flatMap(({ id, uid, url, account, enabled, failure, failingSince }) => {
      const name = directory.accounts().find((one) => one.id === account)?.name ?? '';
      const fields = { webhook: uid, host: new URL(url).host, account: name };
      const since = failingSince ?? undefined;
      if (failure !== null)
        return [problem(`webhook-off-${id}`, 'webhook.switched-off', fields, { since, atOnce: true })];
      return enabled && since ? [problem(`webhook-${id}`, 'webhook.failing', fields, { since })] : [];
    });
  }

  const watching = createAlerts(
    {
      ...alerts,
      file: join(stateDir, 'alerts.json'),
      targets: serviceAlertTargets(alerts, mail, name),
    },
    {
      async read() {
        const now = clock();
        const storage = await storageProblems();
        const disk = await lookAtDisk();
        const failing = backups?.failing();
        const local = [
          ...storage,
          ...disk.problems,
          ...tokenProblems(now),
          ...(failing === undefined
            ? []
            : [problem('backup', 'service.backup-failed', failing, { since: failing.since })]),
        ];
        // A refused phone system is unknown after a restart, until it is refused again.
        const refused = now - startedAt < REFUSED_MS ? keys('token') : [];
        const unknown = [...refused, ...disk.unknown];
        if (storage.length > 0)
          return {
            problems: local,
            unknown: [...unknown, ...keys('old-token'), ...keys('silent'), ...webhookKeys],
          };
        const problems = [
          ...local,
          ...(await oldTokenProblems(now)),
          ...(await silentProblems(now)),
          ...(await webhookProblems()),
        ];
        const there = new Set<string>([
          ...[...keys('token'), ...keys('old-token'), ...keys('silent')],
          ...webhookKeys,
        ]);
        const isGone = (key: string) => removable.test(key) && !there.has(key);
        // Silent phone systems are looked for less often.
        return { problems: problems.filter(({ key }) => !isGone(key)), unknown, isGone };
      },
      log,
      now: clock,
    },
  );

  return {
    ...watching,
    stored(error) {
      notStored = error === undefined ? undefined : { error: messageOf(error), at: clock() };
    },
    failedAt: () => notStored?.at ?? null,
  };
}
