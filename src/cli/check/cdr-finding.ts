import { RecordsRefused } from '../../cdr/cdr-source.ts';
import { openSource, type SourceOptions } from '../../cdr/open-cdr-source.ts';
import { bad, type Finding, warn, well } from './finding.ts';

/** Asterisk's own call records (CDR_SOURCE), where and as the bridge is to read them. */
export async function recordsFinding(options: SourceOptions): Promise<Finding> {
  const source = await openSource(options);
  const what = `Asterisk's call records in ${source.name}`;
  try {
    return well(what, await source.probe());
  } catch (error) {
    if (error instanceof RecordsRefused) return (error.mayCome ? warn : bad)(what, error.message, error.todo);
    return bad(what, String(error), 'Correct CDR_SOURCE, or let the user of the bridge read it.');
  } finally {
    await source.close();
  }
}
