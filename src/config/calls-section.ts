import { z } from 'zod';
import { isCountry } from '../phone-number/normalise-number.ts';
import { section } from './section.ts';
import { choice, globs, line } from './variable.ts';

/** FreePBX, VitalPBX, MikoPBX and the names that people give the context of a trunk. */
const usualContexts =
  'from-trunk*,from-pstn*,from-did*,from-digital*,from-analog*,from-external*,trk-*-in,*-incoming';

export const callsSection = section({
  title: 'Which calls are told, and how',
  shape: {
    PBX_ID: line('1 to 32 letters, digits, dots, dashes or underscores', /^[A-Za-z0-9._-]{1,32}$/)
      .prefault('pbx')
      .describe('First part of every call id. Two bridges on one PBX use the same; two PBXs never.'),
    INBOUND_CONTEXTS: globs()
      .prefault(usualContexts)
      .describe('The contexts in which calls from outside arrive.'),
    INBOUND_CHANNELS: globs()
      .prefault('')
      .describe('Trunks by channel name, such as PJSIP/my-trunk-*, for when their context tells nothing.'),
    DEFAULT_COUNTRY: z
      .string()
      .refine(isCountry)
      .meta({ takes: 'a country as two capital letters (ISO 3166), such as NL', example: 'NL' })
      .optional()
      .describe(
        'The country in which numbers without + or 00 are read: 030901820 and 4930901820 are both +4930901820 with DE. Without it they are reported as they are.',
      ),
    WITHHELD_NUMBER: line('a phone number', /^\+?\d{2,20}$/)
      .optional()
      .describe('Told as the number of callers who withhold theirs; without it, such calls are not told.'),
    ANSWERED_BY: choice(['endpoint', 'callerid'])
      .prefault('endpoint')
      .describe('Who answered: the name of the phone that picked up, or the caller id that it shows.'),
  },
  live: ['INBOUND_CONTEXTS', 'INBOUND_CHANNELS', 'WITHHELD_NUMBER', 'ANSWERED_BY'],
  conflicts: (values) =>
    values.INBOUND_CONTEXTS.length + values.INBOUND_CHANNELS.length === 0
      ? [
          'INBOUND_CONTEXTS: is empty, and so is INBOUND_CHANNELS; no call would ever be told, set one of them',
        ]
      : [],
  build: (values) => ({
    pbxId: values.PBX_ID,
    inboundContexts: values.INBOUND_CONTEXTS,
    inboundChannels: values.INBOUND_CHANNELS,
    defaultCountry: values.DEFAULT_COUNTRY,
    withheldNumber: values.WITHHELD_NUMBER,
    answeredBy: values.ANSWERED_BY,
  }),
});
