import { z } from 'zod';
import { isCountry } from '../phone-number/normalise-number.ts';
import { section } from './section.ts';
import { choice, globs, line } from './variable.ts';

/** Contexts of trunks in FreePBX, VitalPBX and MikoPBX, and other usual names. */
const usualContexts =
  'from-trunk*,from-pstn*,from-did*,from-digital*,from-analog*,from-external*,trk-*-in,*-incoming';

export const callsSection = section({
  title: 'Which calls are reported, and how',
  shape: {
    PBX_ID: line('1 to 32 letters, digits, dots, dashes or underscores', /^[A-Za-z0-9._-]{1,32}$/)
      .prefault('pbx')
      .describe(
        'First part of every call id. Two bridges on one PBX use the same id; different PBXs use different ones.',
      ),
    INBOUND_CONTEXTS: globs()
      .prefault(usualContexts)
      .describe('Dialplan contexts in which calls from outside arrive.'),
    INBOUND_CHANNELS: globs()
      .prefault('')
      .describe(
        'Channel names of trunks, such as PJSIP/my-trunk-*, if calls from outside cannot be recognised by their context.',
      ),
    DEFAULT_COUNTRY: z
      .string()
      .refine(isCountry)
      .meta({ takes: 'a country as two capital letters (ISO 3166), such as NL', example: 'NL' })
      .optional()
      .describe(
        'Country of numbers without + or 00: with DE, 030901820 and 4930901820 both become +4930901820. Without it, such numbers are reported unchanged.',
      ),
    WITHHELD_NUMBER: line('a phone number', /^\+?\d{2,20}$/)
      .optional()
      .describe('Number to report for callers who withhold theirs. Without it, such calls are not reported.'),
    ANSWERED_BY: choice(['endpoint', 'callerid'])
      .prefault('endpoint')
      .describe(
        'Who is reported as answering: the endpoint of the phone that answered (1001 of PJSIP/1001), or its caller id number.',
      ),
  },
  live: ['INBOUND_CONTEXTS', 'INBOUND_CHANNELS', 'WITHHELD_NUMBER', 'ANSWERED_BY'],
  conflicts: (values) =>
    values.INBOUND_CONTEXTS.length + values.INBOUND_CHANNELS.length === 0
      ? ['INBOUND_CONTEXTS: is empty, and so is INBOUND_CHANNELS; no call would be reported, set one of them']
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
