import type { Serialise, Statements } from '../store/statements.ts';
import { createActionLogStore, createCallerActionStore } from './caller-action-store.ts';
import { createCallerCallStore } from './caller-call-store.ts';
import { createMissedCallerStore } from './missed-caller-store.ts';
import { createPersonTraceStore } from './person-trace-store.ts';

export type CallerStore = ReturnType<typeof createCallerStore>;

/**
 * Callers by their numbers: whom to call back, and what colleagues did and noted. `onCallerAction` runs after each action, for
 * the account's screens at other processes.
 */
export const createCallerStore = (
  statements: Statements,
  serialise: Serialise,
  onCallerAction: (account: number) => void = () => {},
) => ({
  ...createCallerCallStore(statements),
  ...createMissedCallerStore(statements, serialise),
  ...createCallerActionStore(statements, onCallerAction),
  ...createActionLogStore(statements),
  ...createPersonTraceStore(statements),
});
