import { z } from 'zod';
import { isCountry } from '../../shared/phone-number/normalise-number.ts';
import { readTrunkNotation, type TrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { camelCased, choice, globs, isGlob, line, listOf, live, section } from './variable.ts';

/** Contexts of trunks in FreePBX, VitalPBX and MikoPBX, and other usual names. */
const usualContexts =
  'from-trunk*,from-pstn*,from-did*,from-digital*,from-analog*,from-external*,trk-*-in,*-incoming';

function trunkNotation(entry: string): TrunkNotation | undefined {
  const read = readTrunkNotation(entry);
  return read !== undefined && isGlob(read.glob) ? read : undefined;
}

export const callsSection = section({
  title: 'Which calls are reported, and how',
  shape: {
    PBX_ID: line('1 to 32 letters, digits, dots, dashes or underscores', /^[A-Za-z0-9._-]{1,32}$/)
      .prefault('pbx')
      .describe(
        'First part of every call id. Two bridges on one PBX use the same id; different PBXs use different ones.',
      ),
    INBOUND_CONTEXTS: globs('from-trunk*,from-pstn*')
      .prefault(usualContexts)
      .describe('Dialplan contexts in which calls from outside arrive.')
      .meta(live),
    INBOUND_CHANNELS: globs('PJSIP/my-trunk-*')
      .prefault('')
      .describe(
        'Channel names of trunks, such as PJSIP/my-trunk-*, if calls from outside cannot be recognised by their context. Upper and lower case are the same.',
      )
      .meta(live),
    DEFAULT_COUNTRY: z
      .string()
      .refine(isCountry)
      .meta({ takes: 'a country as two capital letters (ISO 3166), such as NL', example: 'NL' })
      .optional()
      .describe(
        'Country of numbers without + or 00: with DE, 030901820 and 4930901820 both become +4930901820. Without it, such numbers are reported unchanged.',
      )
      .meta(live),
    TRUNK_NUMBERS: listOf(
      'a comma-separated list of GLOB:KIND, GLOB:strip=DIGITS or GLOB:KIND:strip=DIGITS, such as PJSIP/provider-*:e164,DAHDI/*:national:strip=0; KIND is e164, national or as-is',
      trunkNotation,
    )
      .prefault('')
      .describe(
        "How trunks write callers' numbers, where that cannot be seen from a number; the first GLOB that matches a channel's name, in upper or lower case, counts. e164: international without plus. national: of DEFAULT_COUNTRY, with or without its 0, even if it begins with the country's calling code. as-is: reported unchanged. strip: digits that the trunk puts before each number, such as a 0 for the outside line. pbx-bridge check --number shows what each rule makes of a number.",
      )
      .meta(live),
    REPORTED_NUMBER: choice(['trunk', 'dialplan'])
      .prefault('trunk')
      .describe(
        "The caller's number that is reported and looked up. trunk: as the trunk presented it, whatever the dialplan makes of it. dialplan: as the dialplan has changed it by the time it dials a phone or connects the caller, at most one second after the call came in; ringing is reported only then.",
      )
      .meta(live),
    WITHHELD_NUMBER: line('a phone number', /^\+?\d{2,20}$/)
      .optional()
      .describe('Number to report for callers who withhold theirs. Without it, such calls are not reported.')
      .meta(live),
    MISSING_NUMBER: line('a phone number', /^\+?\d{2,20}$/)
      .optional()
      .describe(
        'Number to report for callers who have none: a SIP address such as alice7, or no number at all. Without it, WITHHELD_NUMBER is used.',
      )
      .meta(live),
    NOT_A_PERSON: globs('PJSIP/bot-*,IAX2/branch-*')
      .prefault('')
      .describe(
        'Channels that answer by themselves, such as bots, fax and voicemail servers, door stations, or another PBX that answers with a queue: a caller who is connected with nobody else has not been answered. Globs of channel names or endpoints: PJSIP/bot also stands for PJSIP/bot-0000002a. Upper and lower case are the same.',
      )
      .meta(live),
    ANSWERED_BY: choice(['endpoint', 'callerid'])
      .prefault('endpoint')
      .describe(
        'Who is reported as answering: the endpoint of the phone that answered (1001 of PJSIP/1001), or its caller id number. A mobile behind a trunk is always reported by the number that was dialled.',
      )
      .meta(live),
  },
  conflicts: (values) =>
    values.INBOUND_CONTEXTS.length + values.INBOUND_CHANNELS.length === 0
      ? ['INBOUND_CONTEXTS: is empty, and so is INBOUND_CHANNELS; no call would be reported, set one of them']
      : [],
  build: (values) => camelCased(values),
});
