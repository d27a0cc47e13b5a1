import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../engine.ts';

/** SQLSTATE classes in which the server says that it cannot, not that it will not. */
const cannot = /^(08|40|53|55|57|58|XX|25006$|25P03$)/;

/** True if the database refused a statement for what it says. */
export function isRefusal(error: Error): boolean {
  if (error instanceof StoreUnavailable) return false;
  if (error instanceof DatabaseError) return !cannot.test(error.code ?? '');
  return !isOfTheConnection(error);
}

function isOfTheConnection(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    (code !== undefined && /^E[A-Z]+$/.test(code)) ||
    /connection|terminated|timeout|did not answer|socket|not queryable|closed/i.test(error.message)
  );
}

export function unavailable(error: Error): StoreUnavailable {
  return error instanceof StoreUnavailable ? error : new StoreUnavailable(reasonOf(error), { cause: error });
}

/** AggregateError, of a name with several addresses, has no message of its own. */
function reasonOf(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  return inner.message || (inner as NodeJS.ErrnoException).code || inner.name;
}
