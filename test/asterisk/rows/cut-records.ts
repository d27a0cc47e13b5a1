import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

/** Calls of which records have several ends over one trunk, or names and arguments that are cut off. */
export const cutRecordRows: readonly Row[] = [
  called({
    name: 'second-mobile',
    says: 'Two mobiles are called over one trunk; the second answers.',
    dialplan: ['Dial(PJSIP/trunk/sip:+491713920099@127.0.0.1:9&{MOBILE_{O}},20)'],
    phones: {},
    mobile: phone.answers(),
    reported: [{ answeredBy: 'mobile' }],
  }),
  called({
    name: 'mobile-of-a-long-group',
    says: 'A mobile behind so many phones that a record has no room for it answers: the record does not say who it was.',
    dialplan: [
      'Dial(PJSIP/{P}2&PJSIP/{P}3&PJSIP/{P}4&PJSIP/{P}5&PJSIP/{P}1&PJSIP/{P}2&PJSIP/{P}3&PJSIP/{P}4&{MOBILE_{O}},20)',
    ],
    phones: { 1: phone.rings() },
    mobile: phone.answers(),
    reported: [{ answeredBy: 'mobile' }],
    fromRecords: { why: 'its number is cut off', reported: [{ answeredBy: 'trunk' }] },
  }),
  called({
    name: 'long-context',
    says: 'A phone behind a Local channel of a context whose name is too long for a record answers.',
    dialplan: ['Dial(Local/{P}1@ctx-mytenant-internal-6e3a0b52-7f0d-4b0a-9b7a-0d7f5f1f2c11/n,20)'],
  }),
];
