import { choice, line, live, section } from './variable.ts';

export const logSection = section({
  title: 'The log',
  shape: {
    LOG_LEVEL: choice(['debug', 'info', 'warn', 'error'])
      .prefault('info')
      .describe('Least severe level to log.')
      .meta(live),
    LOG_FORMAT: choice(['auto', 'pretty', 'json'])
      .prefault('auto')
      .describe(
        'Format of log lines. auto: text on a terminal and in the journal of systemd, JSON elsewhere.',
      ),
    LOG_NUMBERS: choice(['mask', 'show'])
      .prefault('mask')
      .describe('Phone numbers in the log: masked except for the first and last digits, or shown in full.'),
    NO_COLOR: line('any text')
      .optional()
      .describe('If set to any value, output on a terminal has no colours (no-color.org).'),
  },
  build: (values) => ({
    level: values.LOG_LEVEL,
    format: values.LOG_FORMAT,
    numbers: values.LOG_NUMBERS,
    colour: values.NO_COLOR === undefined,
  }),
});
