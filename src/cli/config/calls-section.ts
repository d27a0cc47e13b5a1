import { z } from 'zod';
import { readDeviceName } from '../../bridge/calls/device-name.ts';
import { isGlob } from '../../bridge/calls/glob.ts';
import { ignoresOthers, readReportRule, unreachableRules } from '../../bridge/calls/report-rules.ts';
import { isCountry } from '../../shared/phone-number/normalise-number.ts';
import { readTrunkNotation, type TrunkNotation } from '../../shared/phone-number/trunk-notation.ts';
import { camelCased, choice, globs, line, listOf, live, section } from './variable.ts';

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
    DEVICE_NAMES: listOf(
      'a comma-separated list of DEVICE=EXTENSION, such as 99*=*,*-WS=*,DAHDI/7=112; a star is any text, the same on both sides',
      readDeviceName,
    )
      .prefault('')
      .describe(
        'The extensions of people with several devices, or with devices of other names; the first entry that fits counts. DEVICE is the name that would be reported otherwise (991001), or, with a slash, an endpoint (DAHDI/7), in upper or lower case. pbx-bridge check proposes entries.',
      )
      .meta(live),
    REPORT_RULES: listOf(
      'a comma-separated list of rules: report or ignore, then called, caller, extension or channel with a glob, or * for every call, such as report called +493012345*,ignore caller +49160*,ignore channel PJSIP/fax-*,ignore *',
      readReportRule,
    )
      .prefault('')
      .describe(
        "Which calls from outside are reported; the first rule that matches a call decides, and a call that none matches is reported. An ignored call is not sent, and its lookup asks the API nothing. called: the number that was called, caller: the caller's number as it is reported; both with + and country code, or as dialled in DEFAULT_COUNTRY. extension: the extension in which the call enters the dialplan, as Asterisk has it. channel: the name or endpoint of the caller's channel, in upper or lower case.",
      )
      .meta(live),
  },
  conflicts: ({ INBOUND_CONTEXTS, INBOUND_CHANNELS, REPORT_RULES }, { api }) => [
    ...(api?.CALL_BACKS === 'all' && REPORT_RULES.some(ignoresOthers)
      ? [
          "CALL_BACKS: got yes, which tells of every phone, though REPORT_RULES ignore other calls; name the extensions of this bridge's people, such as 1*,2001, or * for all phones",
        ]
      : []),
    ...(INBOUND_CONTEXTS.length + INBOUND_CHANNELS.length === 0
      ? ['INBOUND_CONTEXTS: is empty, and so is INBOUND_CHANNELS; no call would be reported, set one of them']
      : []),
    ...unreachableRules(REPORT_RULES).map(
      ({ text }) =>
        `REPORT_RULES: got "${text}" behind a rule for every call, where it never decides; move it before, or remove it`,
    ),
  ],
  build: (values) => camelCased(values),
});
