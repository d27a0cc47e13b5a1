/**
 * What is decided about a call, a row each: everywhere else the decision is one key of this table. The log has a message
 * `call.KEY` (the compiler asks for it in log/messages/calls-messages.ts), the journal and `explain` show the reason, and
 * `status`, `/status.json` and `/metrics` count it, whether it was decided live or from a call record.
 */
const rows = {
  /** The caller has none or withholds it, and no setting has one to stand in for it. */
  'no-number': { notReported: 'no number, or withheld: see WITHHELD_NUMBER' },
  /** Taken for an inbound call when we connected, but the PBX made it. */
  'not-inbound': { notReported: 'made by the PBX itself' },
  /** The number came after `no-number`, so it is reported now. */
  'reported-late': { journal: 'reported late: ' },
  /** Was already there when we connected. */
  'picked-up': { journal: 'picked up: ' },
  /** Was gone when we connected. */
  vanished: { journal: 'ended unobserved: ' },
} as const satisfies Record<string, Row>;

type Row =
  /** In `status`, why such calls are not reported. */
  | { readonly notReported: string }
  /** What the journal writes before the reason. */
  | { readonly journal: string };

export type DecisionName = keyof typeof rows;
/** Why a call is not reported. */
export type Reason = {
  [Name in DecisionName]: (typeof rows)[Name] extends { notReported: string } ? Name : never;
}[DecisionName];

export const decisions: Readonly<Record<DecisionName, Row>> = rows;
const names = Object.keys(rows) as DecisionName[];
/** The reasons why a call is not reported, with their texts. */
export const reasons = names.flatMap((name): [Reason, string][] => {
  const row = decisions[name];
  return 'notReported' in row ? [[name as Reason, row.notReported]] : [];
});

/** How often each was decided. */
export type DecisionCounts = Record<DecisionName, number>;
export const noDecisions = () => Object.fromEntries(names.map((name) => [name, 0])) as DecisionCounts;
