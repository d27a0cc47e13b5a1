import type { CallerAction, CallerStore } from './caller-store.ts';

/** Actions that are read in one go. */
const TOGETHER = 5_000;

/** All that was done since then, oldest first. */
export async function actionsSince(
  store: CallerStore,
  account: number,
  since: number,
): Promise<CallerAction[]> {
  const steps: CallerAction[][] = [];
  for (let until = Number.MAX_SAFE_INTEGER; ; ) {
    const step = await store.actions(account, { since, until }, TOGETHER);
    const first = step[0]?.at ?? 0;
    // The limit may have cut off actions of the same millisecond: read that one again.
    const whole = step.length < TOGETHER ? step : step.filter(({ at }) => at > first);
    steps.push(whole);
    if (step.length < TOGETHER || whole.length === 0) return steps.reverse().flat();
    until = first + 1;
  }
}
