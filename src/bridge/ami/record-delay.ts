import type { Connection } from './connection.ts';
import { readVariable } from './endpoints.ts';

/** cdr.conf's default for `time`, s. */
const batchTimeS = 300;

/**
 * For how long Asterisk holds call records back, ms: `batch` and `time` in cdr.conf, which Getvar reads with write class
 * `reporting`; 0 if records are not held back, or if it cannot be read.
 * @throws ConnectionEnded when the connection ends meanwhile.
 * @see https://docs.asterisk.org/Latest_API/API_Documentation/Dialplan_Functions/AST_CONFIG/
 */
export async function readRecordDelay(connection: Connection): Promise<number> {
  const [batch = '', time] = await Promise.all(
    ['batch', 'time'].map((option) => readVariable(connection, `AST_CONFIG(cdr.conf,general,${option})`)),
  );
  if (!/^(yes|true|y|t|1|on)$/i.test(batch)) return 0;
  return (Number(time) || batchTimeS) * 1_000;
}
