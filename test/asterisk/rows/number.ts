import type { Row } from '../../tools/lab/row.ts';
import { called } from './called.ts';

/** RFC 3323 and 3325: what a caller sends who does not want to be known. */
const anonymous = { from: 'anonymous', name: 'Anonymous', headers: ['Privacy: id'] };
/** What a trunk passes on all the same, for the PBX's eyes only. */
const restricted = {
  ...anonymous,
  headers: ['Privacy: id', 'P-Asserted-Identity: <sip:+494066969777@127.0.0.1>'],
};
const shownByRecord = {
  why: 'a record has the number that the caller withholds and the trunk shows, and not that it is withheld',
  reported: [{ from: '+494066969777', answeredBy: 1 }],
} as const;
const withheld = { WITHHELD_NUMBER: '+493023125000' };

/** What dialplans make of the caller's number at their very beginning: what the trunk presented is reported. */
export const rewrittenNumberRows: readonly Row[] = [
  called({
    name: 'number-rewritten',
    says: 'The dialplan puts the digit for an outside line before the number.',
    dialplan: ['Set(CALLERID(num)=0{CALLERID(num)})', 'Dial(PJSIP/{P}1,20)'],
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    caller: { from: '04066969123' },
  }),
  called({
    name: 'number-replaced',
    says: 'The dialplan replaces the number by a text.',
    dialplan: ['Set(CALLERID(num)=Reception)', 'Dial(PJSIP/{P}1,20)'],
    fromRecords: {
      why: 'a record has the name that the dialplan put in place of the number',
      reported: [],
    },
  }),
];

/** A rule for the trunk, and a number for callers who have none. */
const ruled = { TRUNK_NUMBERS: 'PJSIP/trunk-*:national:strip=0', MISSING_NUMBER: '+493023125001' };

/** A number that the caller withholds and the trunk shows, whatever the dialplan does to hide that it is withheld. */
const restrictedRows: readonly Row[] = [
  ['freepbx', 'keeps that in a variable, and allows it', ['Set(__CALLINGNUMPRES_SV={CALLERID(num-pres)})']],
  [
    'issabel',
    'keeps that in the variable of older releases, and allows it',
    ['Set(__CALLINGPRES_SV={CALLERID(num-pres)})'],
  ],
  ['overwritten', 'allows it and keeps nothing', []],
].map(([name, what, keeps]) =>
  called({
    name: `number-restricted-${name}`,
    says: `The caller withholds the number, the trunk shows it to the PBX, and the dialplan ${what}.`,
    dialplan: [...(keeps as string[]), 'Set(CALLERID(num-pres)=allowed_not_screened)', 'Dial(PJSIP/{P}1,20)'],
    reported: [],
    unreported: 1,
    fromRecords: shownByRecord,
    caller: restricted,
  }),
);

/** By which rule a number becomes what is reported. */
export const numberRuleRows: readonly Row[] = [
  ...restrictedRows,
  called({
    name: 'number-restricted-rewritten',
    says: 'The caller withholds the number, the trunk shows it to the PBX, and the dialplan changes and allows it.',
    dialplan: [
      'Set(CALLERID(num)=0{CALLERID(num)})',
      'Set(CALLERID(num-pres)=allowed_not_screened)',
      'Dial(PJSIP/{P}1,20)',
    ],
    reported: [],
    unreported: 1,
    caller: restricted,
  }),
  called({
    name: 'number-by-dialplan',
    says: 'The dialplan takes a moment to correct the number, and its number is to be reported.',
    dialplan: ['Wait(0.3)', 'Set(CALLERID(num)=00442079460123)', 'Dial(PJSIP/{P}1,20)'],
    reported: [{ from: '+442079460123', answeredBy: 1 }],
    settings: { REPORTED_NUMBER: 'dialplan' },
    caller: { from: '04066969123' },
  }),
  called({
    name: 'number-e164-bare',
    says: 'An international number without its plus.',
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    caller: { from: '494066969123' },
  }),
  called({
    name: 'number-trunk-rule',
    says: 'A trunk that puts the digit for an outside line before national numbers.',
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    settings: ruled,
    caller: { from: '004066969123' },
  }),
  called({
    name: 'number-sip-address',
    says: 'A caller with a SIP address in place of a number; the bridge has a number for those.',
    reported: [{ from: ruled.MISSING_NUMBER, answeredBy: 1 }],
    settings: ruled,
    caller: { from: 'alice7' },
  }),
  called({
    name: 'number-zeros',
    says: 'Zeros stand for a number that is withheld.',
    reported: [],
    unreported: 1,
    caller: { from: '0000000000' },
  }),
];

/** What hides no number. */
export const numberFormRows: readonly Row[] = [
  called({
    name: 'number-two-zeros',
    says: 'An international number with two zeros, in a country that dials another prefix.',
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    settings: { DEFAULT_COUNTRY: 'US' },
    caller: { from: '00494066969123' },
  }),
  called({
    name: 'number-user-phone',
    says: 'A number with a parameter of SIP.',
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    caller: { from: '04066969123;user=phone' },
  }),
  called({
    name: 'number-in-quotes',
    says: 'The dialplan writes quotes and a port around the number, and its number is to be reported.',
    dialplan: ['Set(CALLERID(num)="004066969123:5060")', 'Dial(PJSIP/{P}1,20)'],
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    settings: { REPORTED_NUMBER: 'dialplan' },
  }),
];

/** Who calls: numbers in all shapes, late, and withheld. */
export const numberRows: readonly Row[] = [
  called({
    name: 'number-national',
    says: 'A national number, 0…',
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    caller: { from: '04066969123' },
  }),
  called({
    name: 'number-00',
    says: 'An international number, 00…',
    reported: [{ from: '+442079460123', answeredBy: 1 }],
    caller: { from: '00442079460123' },
  }),
  called({
    name: 'number-plus',
    says: 'An international number, +…',
    reported: [{ from: '+12025550142', answeredBy: 1 }],
    caller: { from: '+12025550142', name: 'Zoë \\"Q\\" O\'Neill' },
  }),
  called({
    name: 'number-odd',
    says: 'A number that is none: it goes as it is.',
    reported: [{ from: '42', answeredBy: 1 }],
    caller: { from: '42' },
  }),
  called({
    name: 'number-late',
    says: 'No number at first; it arrives after a moment.',
    dialplan: ['Wait(0.3)', 'Set(CALLERID(num)=+494066969{EXTEN:9})', 'Dial(PJSIP/{P}1,20)'],
    caller: { from: '' },
  }),
  called({
    name: 'number-never',
    says: 'No number, not even later.',
    reported: [],
    unreported: 1,
    caller: { from: '' },
  }),
  called({
    name: 'anonymous',
    says: 'The caller withholds the number.',
    reported: [],
    unreported: 1,
    caller: anonymous,
  }),
  called({
    name: 'anonymous-number-set',
    says: 'The caller withholds the number; the bridge has one to report instead.',
    reported: [{ from: withheld.WITHHELD_NUMBER, answeredBy: 1 }],
    settings: withheld,
    caller: anonymous,
  }),
  called({
    name: 'number-restricted',
    says: 'The caller withholds the number, but the trunk shows it to the PBX.',
    reported: [],
    unreported: 1,
    fromRecords: shownByRecord,
    caller: restricted,
  }),
  called({
    name: 'number-restricted-number-set',
    says: 'The same; the bridge has a number to report instead.',
    reported: [{ from: withheld.WITHHELD_NUMBER, answeredBy: 1 }],
    fromRecords: shownByRecord,
    settings: withheld,
    caller: restricted,
  }),
];

/** A caller whose number has line breaks, and lines of an AMI event behind them. */
export const lineBreakRows: readonly Row[] = [
  ['linkedid', 'another call', 'Linkedid%3a%20zz'],
  ['context', 'another context', 'Context%3a%20internal'],
  ['ids', 'ids of its own', 'Uniqueid%3a%201%0d%0aLinkedid%3a%201'],
  ['event', 'the end of another call', '%0d%0aEvent%3a%20Hangup%0d%0aUniqueid%3a%201'],
].map(([name, what, lines]) =>
  called({
    name: `number-forges-${name}`,
    says: `The caller's number has a line break, and behind it a line that names ${what}.`,
    reported: [{ from: '+494066969123', answeredBy: 1 }],
    caller: { from: `+494066969123%0d%0a${lines}` },
  }),
);
