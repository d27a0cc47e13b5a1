import { section } from './section.ts';
import { choice, line } from './variable.ts';

export const logSection = section({
  title: 'The log',
  shape: {
    LOG_LEVEL: choice(['debug', 'info', 'warn', 'error'])
      .prefault('info')
      .describe('The least that is logged.'),
    LOG_FORMAT: choice(['auto', 'pretty', 'json'])
      .prefault('auto')
      .describe('auto: pretty on a terminal, JSON else.'),
    LOG_NUMBERS: choice(['mask', 'show'])
      .prefault('mask')
      .describe('Phone numbers in the log: their first and last digits, or whole.'),
    NO_COLOR: line('any text')
      .optional()
      .describe('Set to anything: no colours on the terminal (no-color.org).'),
  },
  live: ['LOG_LEVEL'],
  build: (values) => ({
    level: values.LOG_LEVEL,
    format: values.LOG_FORMAT,
    numbers: values.LOG_NUMBERS,
    colour: values.NO_COLOR === undefined,
  }),
});
