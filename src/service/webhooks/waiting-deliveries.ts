import { hasId, inStepsById, type Statements, type Value } from '../store/statements.ts';

/** Deliveries that are changed or deleted in one go: no event should wait until a month's are. */
export const STEP = 1000;

export const waits = "state IN ('new', 'retry')";
/** What was not sent, since the webhook's filter does not want it, or it was about what is gone. */
export const isSkipped = "state = 'delivered' AND tries = 0";

/** Those of a webhook that wait, and for which this holds, count as failed now; returns how many. */
export function failWaiting(
  { read, write }: Pick<Statements, 'read' | 'write'>,
  where: string,
  id: number,
  ...values: Value[]
): Promise<number> {
  const own = `webhook_id = $1 AND ${waits} AND ${where}`;
  return inStepsById(
    STEP,
    () => read(`SELECT id FROM webhook_deliveries WHERE ${own} LIMIT ${STEP}`, id, ...values),
    (ids) =>
      write(
        `UPDATE webhook_deliveries SET state = 'failed' WHERE ${hasId(values.length + 2)} AND ${own} RETURNING id`,
        ...[id, ...values, ids],
      ),
  );
}
