import type { Effect, JournalEntry, Report } from '../effect.ts';
import type { Input } from '../input.ts';
import { type CallSettings, createRules } from '../rules.ts';
import { createTracker } from '../tracker.ts';

export type DryRun = { readonly reports: readonly Report[]; readonly journal: readonly JournalEntry[] };

/**
 * Runs the tracker on recorded inputs, with a tick whenever it requests one. A caller without a recorded answer about
 * the presentation counts as allowed.
 */
export function dryRun(settings: CallSettings, inputs: readonly Input[]): DryRun {
  const tracker = createTracker(createRules(settings), { calls: [], trunks: [] });
  const effects: Effect[] = [];
  let wake: number | undefined;
  const answered = new Set(inputs.map((input) => (input.type === 'presentation' ? input.uniqueid : '')));

  function apply(input: Input): void {
    const next = tracker.apply(input);
    effects.push(...next);
    for (const effect of next) {
      if (effect.type === 'wake') wake = Math.min(wake ?? effect.at, effect.at);
      // A recording does not have the dialplan.
      if (effect.type === 'ask-application')
        apply({ type: 'application', at: input.at, uniqueid: effect.uniqueid, application: '', data: '' });
      if (effect.type !== 'ask' || answered.has(effect.uniqueid)) continue;
      answered.add(effect.uniqueid);
      const said = { presentation: 'allowed', dnid: undefined } as const;
      apply({ type: 'presentation', at: input.at, uniqueid: effect.uniqueid, ...said });
    }
  }

  function tickUntil(time: number): void {
    while (wake !== undefined && wake <= time) {
      const at = wake;
      wake = undefined;
      apply({ type: 'tick', at });
    }
  }

  for (const input of inputs) {
    tickUntil(input.at);
    apply(input);
  }
  tickUntil(Number.POSITIVE_INFINITY);
  return {
    reports: effects.filter((effect) => effect.type === 'report'),
    journal: effects.flatMap((effect) => (effect.type === 'journal' ? effect.entry : [])),
  };
}
