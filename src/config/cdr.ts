import { section } from './section.ts';
import { line } from './variable.ts';

export const cdrSection = section({
  title: 'Calls that begin and end while the bridge is not connected',
  shape: {
    CDR_SOURCE: line('csv: and the path of the file', /^csv:[^\r\n\0]+$/)
      .meta({
        takes: 'csv: and the path of the file',
        example: 'csv:/var/log/asterisk/cdr-csv/Master.csv',
      })
      .optional()
      .describe(
        "Asterisk's own call records (cdr_csv, with loguniqueid=yes): calls that nobody heard are told from them.",
      ),
  },
  build: ({ CDR_SOURCE }) =>
    CDR_SOURCE === undefined ? undefined : { path: CDR_SOURCE.slice('csv:'.length) },
});
