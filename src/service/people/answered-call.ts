import { answeredSql } from '../calls/call-meaning.ts';
import type { Statements } from '../store/statements.ts';

/**
 * A join for SQL that has `calls c` of the account $1 and `whoCalls`: as `r`, the first call in this order that was answered,
 * from the number of `c` or another one of its customer. `condition`: of a call `a`.
 */
export function joinAnsweredCall(
  along: Statements['along'],
  condition: string,
  order: 'ASC' | 'DESC',
): string {
  const answered = (number: string) => `SELECT a.id FROM calls a ${along('calls_answered_by_number')}
    WHERE a.account_id = $1 AND a.number = ${number} AND ${condition} AND ${answeredSql('a')}
    ORDER BY a.started_at ${order} LIMIT 1`;
  return `LEFT JOIN calls r ON r.id = (SELECT x.id FROM calls x WHERE x.id IN (
      SELECT (${answered('c.number')})
      UNION ALL SELECT (${answered('o.number')}) FROM customer_numbers o
        WHERE o.account_id = $1 AND o.customer_id = n.customer_id)
    ORDER BY x.started_at ${order} LIMIT 1)`;
}
