import type { Row } from '../row.ts';
import { type Invitation, phone } from '../sip-script.ts';

/** A call answered by the first extension, from this number. */
function callFrom(
  row: Pick<Row, 'name' | 'says' | 'reported'> & Partial<Row>,
  invitation: Partial<Invitation>,
): Row {
  return {
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls(invitation);
      await stage.talk(call, 1);
      call.hangsUp();
    },
    ...row,
  };
}

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
  callFrom(
    {
      name: 'number-rewritten',
      says: 'The dialplan puts the digit for an outside line before the number.',
      dialplan: ['Set(CALLERID(num)=0{CALLERID(num)})', 'Dial(PJSIP/{P}1,20)'],
      reported: [{ from: '+494066969123', answeredBy: 1 }],
    },
    { from: '04066969123' },
  ),
  callFrom(
    {
      name: 'number-replaced',
      says: 'The dialplan replaces the number by a text.',
      dialplan: ['Set(CALLERID(num)=Reception)', 'Dial(PJSIP/{P}1,20)'],
      reported: [{ answeredBy: 1 }],
      fromRecords: {
        why: 'a record has the name that the dialplan put in place of the number',
        reported: [],
      },
    },
    {},
  ),
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
  callFrom(
    {
      name: `number-restricted-${name}`,
      says: `The caller withholds the number, the trunk shows it to the PBX, and the dialplan ${what}.`,
      dialplan: [
        ...(keeps as string[]),
        'Set(CALLERID(num-pres)=allowed_not_screened)',
        'Dial(PJSIP/{P}1,20)',
      ],
      reported: [],
      unreported: 1,
      fromRecords: shownByRecord,
    },
    restricted,
  ),
);

/** By which rule a number becomes what is reported. */
export const numberRuleRows: readonly Row[] = [
  ...restrictedRows,
  callFrom(
    {
      name: 'number-restricted-rewritten',
      says: 'The caller withholds the number, the trunk shows it to the PBX, and the dialplan changes and allows it.',
      dialplan: [
        'Set(CALLERID(num)=0{CALLERID(num)})',
        'Set(CALLERID(num-pres)=allowed_not_screened)',
        'Dial(PJSIP/{P}1,20)',
      ],
      reported: [],
      unreported: 1,
    },
    restricted,
  ),
  callFrom(
    {
      name: 'number-by-dialplan',
      says: 'The dialplan takes a moment to correct the number, and its number is to be reported.',
      dialplan: ['Wait(0.3)', 'Set(CALLERID(num)=00442079460123)', 'Dial(PJSIP/{P}1,20)'],
      reported: [{ from: '+442079460123', answeredBy: 1 }],
      settings: { REPORTED_NUMBER: 'dialplan' },
    },
    { from: '04066969123' },
  ),
  callFrom(
    {
      name: 'number-e164-bare',
      says: 'An international number without its plus.',
      reported: [{ from: '+494066969123', answeredBy: 1 }],
    },
    { from: '494066969123' },
  ),
  callFrom(
    {
      name: 'number-trunk-rule',
      says: 'A trunk that puts the digit for an outside line before national numbers.',
      reported: [{ from: '+494066969123', answeredBy: 1 }],
      settings: ruled,
    },
    { from: '004066969123' },
  ),
  callFrom(
    {
      name: 'number-sip-address',
      says: 'A caller with a SIP address in place of a number; the bridge has a number for those.',
      reported: [{ from: ruled.MISSING_NUMBER, answeredBy: 1 }],
      settings: ruled,
    },
    { from: 'alice7' },
  ),
  callFrom(
    { name: 'number-zeros', says: 'Zeros stand for a number that is withheld.', reported: [], unreported: 1 },
    { from: '0000000000' },
  ),
];

/** Who calls: numbers in all shapes, late, and withheld. */
export const numberRows: readonly Row[] = [
  callFrom(
    {
      name: 'number-national',
      says: 'A national number, 0…',
      reported: [{ from: '+494066969123', answeredBy: 1 }],
    },
    { from: '04066969123' },
  ),
  callFrom(
    {
      name: 'number-00',
      says: 'An international number, 00…',
      reported: [{ from: '+442079460123', answeredBy: 1 }],
    },
    { from: '00442079460123' },
  ),
  callFrom(
    {
      name: 'number-plus',
      says: 'An international number, +…',
      reported: [{ from: '+12025550142', answeredBy: 1 }],
    },
    { from: '+12025550142', name: 'Zoë \\"Q\\" O\'Neill' },
  ),
  callFrom(
    {
      name: 'number-odd',
      says: 'A number that is none: it goes as it is.',
      reported: [{ from: '42', answeredBy: 1 }],
    },
    { from: '42' },
  ),
  callFrom(
    {
      name: 'number-late',
      says: 'No number at first; it arrives after a moment.',
      dialplan: ['Wait(0.3)', 'Set(CALLERID(num)=+494066969{EXTEN:9})', 'Dial(PJSIP/{P}1,20)'],
      reported: [{ answeredBy: 1 }],
    },
    { from: '' },
  ),
  callFrom(
    { name: 'number-never', says: 'No number, not even later.', reported: [], unreported: 1 },
    { from: '' },
  ),
  callFrom(
    { name: 'anonymous', says: 'The caller withholds the number.', reported: [], unreported: 1 },
    anonymous,
  ),
  callFrom(
    {
      name: 'anonymous-number-set',
      says: 'The caller withholds the number; the bridge has one to report instead.',
      reported: [{ from: withheld.WITHHELD_NUMBER, answeredBy: 1 }],
      settings: withheld,
    },
    anonymous,
  ),
  callFrom(
    {
      name: 'number-restricted',
      says: 'The caller withholds the number, but the trunk shows it to the PBX.',
      reported: [],
      unreported: 1,
      fromRecords: shownByRecord,
    },
    restricted,
  ),
  callFrom(
    {
      name: 'number-restricted-number-set',
      says: 'The same; the bridge has a number to report instead.',
      reported: [{ from: withheld.WITHHELD_NUMBER, answeredBy: 1 }],
      fromRecords: shownByRecord,
      settings: withheld,
    },
    restricted,
  ),
];
