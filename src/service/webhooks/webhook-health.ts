const DAY_MS = 86_400_000;
/** After a start, or a day without a request, a webhook that fails is switched off after this at the earliest, ms. */
const TRYING_MS = 3_600_000;

/** Failed requests since the last success; Unix ms, 0: none yet. */
export type WebhookHealth = {
  /** The first without a pause of a day after it. */
  readonly tryingSince: number;
  /** The last. */
  readonly triedAt: number;
};

export type WebhookAttempt = {
  readonly delivered: boolean;
  /** The receiver answered 410. */
  readonly isGone: boolean;
  /** Unix ms. */
  readonly at: number;
  /** What is saved: every request from then on failed; null: the last arrived. */
  readonly failingSince: number | null;
};

/** `save`: what is saved is to change; `switch-off`: nothing more is sent. */
type HealthEffect =
  | { readonly type: 'save'; readonly failingSince: number | null }
  | { readonly type: 'switch-off'; readonly failure: 'gone' | 'failing' };

type Step = { readonly health: WebhookHealth; readonly effect?: HealthEffect };

export const newHealth: WebhookHealth = { tryingSince: 0, triedAt: 0 };

/** `lastingMs`: how long a webhook may fail before it is switched off. */
export function nextHealth(health: WebhookHealth, attempt: WebhookAttempt, lastingMs: number): Step {
  const { delivered, isGone, at, failingSince } = attempt;
  if (isGone) return { health, effect: { type: 'switch-off', failure: 'gone' } };
  if (delivered)
    return failingSince === null ? { health } : { health, effect: { type: 'save', failingSince: null } };
  const isAfterPause = Math.abs(at - health.triedAt) > DAY_MS;
  const failed = { tryingSince: isAfterPause ? at : health.tryingSince, triedAt: at };
  if (failingSince === null) return { health: failed, effect: { type: 'save', failingSince: at } };
  const isFailingLong = at - failingSince > lastingMs;
  const isTriedLong = at - failed.tryingSince >= Math.min(lastingMs, TRYING_MS);
  if (!isFailingLong || !isTriedLong) return { health: failed };
  return { health: failed, effect: { type: 'switch-off', failure: 'failing' } };
}
