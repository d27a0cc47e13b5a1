import { callDecisions } from '../../shared/log/messages/calls-messages.ts';

// Everywhere in the bridge, a decision about a call is one name: that of its row among the log messages.
type Rows = typeof callDecisions;
type NameOf<Code> = Code extends `call.${infer Name}` ? Name : never;

export type DecisionName = NameOf<keyof Rows>;
/** Why a call is not reported. */
export type Reason = {
  [Code in keyof Rows]: Rows[Code] extends { notReported: string } ? NameOf<Code> : never;
}[keyof Rows];

const names = Object.keys(callDecisions).map((code) => code.replace('call.', '') as DecisionName);

/** True for a reason why the call is not reported. */
export function isNotReported(decision: DecisionName): decision is Reason {
  return 'notReported' in callDecisions[`call.${decision}`];
}

/** What `explain` says before the reason; '' if the call is not reported for it. */
export function explainedAs(decision: DecisionName): string {
  const row = callDecisions[`call.${decision}`];
  return 'journal' in row ? row.journal : '';
}

/** The reasons why a call is not reported, with their texts. */
export const reasons = names.flatMap((name): [Reason, string][] => {
  const row = callDecisions[`call.${name}`];
  return 'notReported' in row ? [[name as Reason, row.notReported]] : [];
});

/** How often each was decided. */
export type DecisionCounts = Record<DecisionName, number>;
export const noDecisions = () => Object.fromEntries(names.map((name) => [name, 0])) as DecisionCounts;
