import type { Row } from '../../tools/lab/row.ts';
import { called } from './called.ts';

/** Each looks at another fact of a call. */
const office = {
  REPORT_RULES:
    'ignore caller +49171*, ignore extension ?00?, report called 030*, ignore channel pjsip/trunk',
};

/** Which calls are reported (REPORT_RULES). */
export const ruleRows: readonly Row[] = [
  called({
    name: 'rule-reports-called',
    says: 'The number called is to be reported; the extension that the dialplan rings is not looked at.',
    settings: office,
  }),
  called({
    name: 'rule-ignores-caller',
    says: 'The caller is ignored, though the number called is to be reported.',
    caller: { from: '01713920017' },
    reported: [],
    unreported: 1,
    settings: office,
  }),
  called({
    name: 'rule-reports-moved',
    says: 'The number called is to be reported, and the dialplan goes on in another context.',
    dialplan: ['Goto(from-internal,{P}1,1)'],
    settings: office,
    fromRecords: {
      why: 'the records of a call that the dialplan has moved to another context do not have the number called',
      reported: [],
    },
  }),
  called({
    name: 'rule-ignores-channel',
    says: 'The trunk is ignored.',
    reported: [],
    unreported: 1,
    settings: { REPORT_RULES: 'report called +4989*, ignore channel pjsip/trunk' },
  }),
];
