import type { Tell } from '../effect.ts';
import type { Input } from '../input.ts';
import { type Entry, journalOf } from '../journal.ts';
import { reduce } from '../reduce.ts';
import { type CallSettings, createRules } from '../rules.ts';
import { initialState } from '../state.ts';

export type Rehearsal = { readonly told: readonly Tell[]; readonly journal: readonly Entry[] };

/**
 * What the tracker makes of inputs whose times are known already, with a tick wherever it asks for one. A caller of
 * whom no answer was recorded lets the number be shown.
 */
export function rehearse(settings: CallSettings, inputs: readonly Input[]): Rehearsal {
  const rules = createRules(settings);
  const told: Tell[] = [];
  const journal: Entry[] = [];
  let state = initialState({ calls: [], trunks: [] });
  let wake: number | undefined;
  const answered = new Set(inputs.map((input) => (input.type === 'presentation' ? input.uniqueid : '')));

  function hear(input: Input): void {
    const step = reduce(rules, state, input);
    journal.push(...journalOf(rules, state, input, step));
    state = step.state;
    for (const effect of step.effects) {
      if (effect.type === 'tell') told.push(effect);
      if (effect.type === 'wake') wake = Math.min(wake ?? effect.at, effect.at);
    }
    for (const effect of step.effects) {
      if (effect.type !== 'ask' || answered.has(effect.uniqueid)) continue;
      answered.add(effect.uniqueid);
      const said = { presentation: 'allowed', dnid: undefined } as const;
      hear({ type: 'presentation', at: input.at, uniqueid: effect.uniqueid, ...said });
    }
  }

  function tickUntil(time: number): void {
    while (wake !== undefined && wake <= time) {
      const at = wake;
      wake = undefined;
      hear({ type: 'tick', at });
    }
  }

  for (const input of inputs) {
    tickUntil(input.at);
    hear(input);
  }
  tickUntil(Number.POSITIVE_INFINITY);
  return { told, journal };
}
