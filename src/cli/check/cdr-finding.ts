import { RecordsRefused } from '../../bridge/cdr/cdr-source.ts';
import { openSource, type SourceOptions } from '../../bridge/cdr/open-cdr-source.ts';
import { type Finding, failed, passed, warning } from './finding.ts';

/** Checks that Asterisk's call records (CDR_SOURCE) can be read and used. */
export async function cdrFinding(options: SourceOptions): Promise<Finding> {
  const source = await openSource(options);
  const what = `Asterisk's call records in ${source.name}`;
  try {
    return passed(what, await source.probe());
  } catch (error) {
    if (error instanceof RecordsRefused)
      return (error.mayCome ? warning : failed)(what, error.message, error.todo);
    return failed(
      what,
      String(error),
      'Correct CDR_SOURCE, or give the user of the bridge permission to read it.',
    );
  } finally {
    await source.close();
  }
}
