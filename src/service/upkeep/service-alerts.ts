import { hostname } from 'node:os';
import { join } from 'node:path';
import { type AlertSettings, alertTargets } from '../../shared/alerts/alert-targets.ts';
import { type Alerts, createAlerts } from '../../shared/alerts/alerts.ts';
import { certificateProblem, watchDisk } from '../../shared/alerts/machine-problems.ts';
import { type Problem, type ProblemKey, problem } from '../../shared/alerts/problem.ts';
import type { Log } from '../../shared/log/log.ts';
import type { MailOptions } from '../../shared/mail/mail.ts';
import { messageOf } from '../../shared/process/parse-json.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Store } from '../database/store.ts';
import type { Backups } from './backups.ts';
import {
  keysOf,
  oldTokenProblems,
  REFUSED_MS,
  silentProblems,
  storageProblems,
  tokenProblems,
  webhookProblems,
} from './service-problems.ts';

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
  /** When the certificate of https expires, Unix ms; undefined without one. */
  readonly certificateEndsAt: () => number | undefined;
  readonly clock: () => number;
  readonly log: Log;
};

/** How often to look for silent phone systems. */
const SILENT_MS = 5 * 60_000;

/** Keys of problems of phone systems and webhooks, which can be removed. */
const removable = /^(?:token|old-token|silent|webhook|webhook-off)-/;

/** What a service is called in its alerts. */
export const alertName = (hosts: readonly string[]) => hosts[0] ?? hostname();

export const serviceAlertTargets = (settings: AlertSettings, server: MailOptions | undefined, name: string) =>
  alertTargets(settings, { program: 'service', name }, { server });

type Options = {
  readonly stateDir: string;
  /** Of the service, in alerts: a host. */
  readonly name: string;
  readonly alerts: ServiceAlertSettings;
  readonly mail: MailOptions | undefined;
};

/** The alerts of the service. With several processes, one of them is given ALERT_MAIL and ALERT_WEBHOOK. */
export function createServiceAlerts(options: Options, parts: Parts): Alerts & Observed {
  const { stateDir, alerts, mail, name } = options;
  const { clock, log } = parts;
  let notStored: { readonly error: string; readonly at: number } | undefined;
  const watching = createAlerts(
    {
      ...alerts,
      file: join(stateDir, 'alerts.json'),
      targets: serviceAlertTargets(alerts, mail, name),
    },
    { read: createProblemReader(stateDir, () => notStored?.error, parts), log, now: clock },
  );
  return {
    ...watching,
    stored(error) {
      notStored = error === undefined ? undefined : { error: messageOf(error), at: clock() };
    },
    failedAt: () => notStored?.at ?? null,
  };
}

/** Reads what is wrong now. `notStored`: why the last event could not be stored. */
function createProblemReader(stateDir: string, notStored: () => string | undefined, parts: Parts) {
  const { store, directory, backups, clock } = parts;
  const lookAtDisk = watchDisk(stateDir);
  const startedAt = clock();
  const readSilent = createSilentReader(parts);
  const keys = (kind: Parameters<typeof keysOf>[0]) => keysOf(kind, directory);
  let webhookKeys: readonly ProblemKey[] = [];
  return async () => {
    const now = clock();
    const storage = await storageProblems(notStored(), store);
    const disk = await lookAtDisk();
    const failing = backups?.failing();
    const local = [
      ...storage,
      ...disk.problems,
      ...tokenProblems(directory, now),
      ...certificateProblem('certificate-https', 'the certificate of https', parts.certificateEndsAt(), now),
      ...(failing === undefined
        ? []
        : [problem('backup', 'service.backup-failed', failing, { since: failing.since })]),
    ];
    // A refused phone system is unknown after a restart, until it is refused again.
    const unknown = [...(now - startedAt < REFUSED_MS ? keys('token') : []), ...disk.unknown];
    if (storage.length > 0)
      return {
        problems: local,
        unknown: [...unknown, ...keys('old-token'), ...keys('silent'), ...webhookKeys],
      };
    const stored = [...(await oldTokenProblems(parts, now)), ...(await readSilent(now))];
    const webhooks = await webhookProblems(parts);
    webhookKeys = webhooks.keys;
    const there = new Set<string>([
      ...keys('token'),
      ...keys('old-token'),
      ...keys('silent'),
      ...webhookKeys,
    ]);
    const isGone = (key: string) => removable.test(key) && !there.has(key);
    const problems = [...local, ...stored, ...webhooks.problems];
    // Silent phone systems are looked for less often.
    return { problems: problems.filter(({ key }) => !isGone(key)), unknown, isGone };
  };
}

/** Silent phone systems, as they were found in the last minutes. */
function createSilentReader(parts: Parts): (now: number) => Promise<Problem[]> {
  let silent: { at: number; problems: Problem[] } = { at: Number.NEGATIVE_INFINITY, problems: [] };
  return async (now) => {
    if (now - silent.at < SILENT_MS && now >= silent.at) return silent.problems;
    silent = { at: now, problems: await silentProblems(parts, now) };
    return silent.problems;
  };
}
