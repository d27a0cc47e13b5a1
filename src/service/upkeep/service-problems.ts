import { type Problem, type ProblemKey, problem } from '../../shared/alerts/problem.ts';
import { messageOf } from '../../shared/process/parse-json.ts';
import { within } from '../../shared/process/within.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { isOldInForce } from '../accounts/limits.ts';
import type { Store } from '../database/store.ts';
import { phoneSystems } from '../integrations/phone-systems.ts';
import { machineZone } from '../kit/formats.ts';

/** A phone system that was refused tries again within minutes. */
export const REFUSED_MS = 10 * 60_000;
/** A replaced token that a phone system has used within the last hour is announced this long before it ends. */
const ENDS_MS = 86_400_000;
const IN_USE_MS = 3_600_000;
/** A storage that takes longer hangs. */
const STORAGE_MS = 10_000;

type Parts = { readonly store: Store; readonly directory: ServiceDirectory };

/** Why the storage does not answer; undefined if it does. */
async function storageError(store: Pick<Store, 'about'>): Promise<string | undefined> {
  try {
    const answers = await within(STORAGE_MS, store.about());
    return answers ? undefined : `no answer within ${STORAGE_MS / 1_000} s`;
  } catch (error) {
    return messageOf(error);
  }
}

/** `notStored`: why the last event could not be stored; undefined if it was. */
export async function storageProblems(
  notStored: string | undefined,
  store: Pick<Store, 'about'>,
): Promise<Problem[]> {
  const error = notStored ?? (await storageError(store));
  return error === undefined ? [] : [problem('storage', 'service.not-stored', { error })];
}

const integrationsOf = (directory: ServiceDirectory) =>
  directory.accounts().flatMap((account) =>
    directory.integrations(account.id).map((integration) => ({
      integration,
      fields: { integration: integration.name, account: account.name },
    })),
  );

/** The keys that problems of this kind can have now. */
export const keysOf = (kind: 'token' | 'old-token' | 'silent', directory: ServiceDirectory): ProblemKey[] =>
  integrationsOf(directory).map(({ integration }) => `${kind}-${integration.id}` as const);

export const tokenProblems = (directory: ServiceDirectory, now: number): Problem[] =>
  integrationsOf(directory).flatMap(({ integration: { id }, fields }) => {
    const { at = 0 } = directory.refused(id) ?? {};
    return now - at > REFUSED_MS ? [] : [problem(`token-${id}`, 'service.token-refused', fields)];
  });

/** Phone systems that still use a replaced token that ends soon. */
export async function oldTokenProblems({ store, directory }: Parts, now: number): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { integration, fields } of integrationsOf(directory)) {
    const { id, oldTokenUntil: until } = integration;
    if (!isOldInForce(until, now) || until - now > ENDS_MS) continue;
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
export async function silentProblems({ store, directory }: Parts, now: number): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { id, name, timeZone } of directory.accounts()) {
    const about = { account: id, timeZone: timeZone ?? machineZone(), now };
    for (const system of await phoneSystems(directory.integrations(id), store.requests, about)) {
      if (!system.unusual) continue;
      const fields = { integration: system.name, account: name };
      const when = { since: system.lastAt ?? now, atOnce: true };
      problems.push(problem(`silent-${system.integration}`, 'service.phone-system-silent', fields, when));
    }
  }
  return problems;
}

/** Webhooks that were switched off by the service, or fail; and the keys that their problems can have. */
export async function webhookProblems({ store, directory }: Parts) {
  const webhooks = await store.webhooks.list(null);
  const keys = webhooks.flatMap(({ id }): ProblemKey[] => [`webhook-${id}`, `webhook-off-${id}`]);
  const problems = webhooks.flatMap(
    ({ id, uid, url, account, enabled, failure, failingSince }): Problem[] => {
      const name = directory.accounts().find((one) => one.id === account)?.name ?? '';
      const fields = { webhook: uid, host: new URL(url).host, account: name };
      const since = failingSince ?? undefined;
      if (failure !== null)
        return [problem(`webhook-off-${id}`, 'webhook.switched-off', fields, { since, atOnce: true })];
      return enabled && since ? [problem(`webhook-${id}`, 'webhook.failing', fields, { since })] : [];
    },
  );
  return { problems, keys };
}
