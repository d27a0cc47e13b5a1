import type { RecordOptions } from '../cdr/cdr-source.ts';
import type { Connection } from './connection.ts';
import { readVariable } from './snapshot.ts';

/** As Asterisk reads it in its configuration. */
export function isYes(value: string): boolean {
  return /^(yes|true|y|t|1|on)$/i.test(value);
}

/** cdr.conf's default for `time`, s. */
const batchTimeS = 300;

/**
 * How the PBX writes call records, by cdr.conf, which Getvar reads with write class `reporting`; what cannot be read is as by
 * default.
 * @throws ConnectionEnded when the connection ends meanwhile.
 * @see https://docs.asterisk.org/Latest_API/API_Documentation/Dialplan_Functions/AST_CONFIG/
 */
export async function readRecordOptions(connection: Connection): Promise<Omit<RecordOptions, 'systemname'>> {
  const [batch = '', time, ignores = ''] = await Promise.all(
    ['batch', 'time', 'ignoredialchanges'].map((option) =>
      readVariable(connection, `AST_CONFIG(cdr.conf,general,${option})`),
    ),
  );
  return {
    delayMs: isYes(batch) ? (Number(time) || batchTimeS) * 1_000 : 0,
    ignoresDialChanges: isYes(ignores),
  };
}
