import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inspection } from '../../bridge/ami/inspection.ts';
import { readReportRule } from '../../bridge/calls/report-rules.ts';
import { callSettings } from '../../bridge/calls/rules.fixture.ts';
import { createRules } from '../../bridge/calls/rules.ts';
import type { Trunk } from '../../bridge/calls/trunk.ts';
import { trunkFindings } from './trunk-findings.ts';

/** What FreePBX has, whatever its trunks. */
const usual = ['from-digital', 'from-external', 'from-pstn', 'from-pstn-e164-us', 'from-pstn-to-did'];
const freepbx = [
  ...usual,
  'from-did-direct',
  'from-analog',
  'from-trunk',
  'from-trunk-pjsip-isp',
  'from-internal',
];
const inspection: Inspection = {
  version: '22.1.0',
  unanswered: [],
  lacksLinkedid: false,
  unseenBridges: 0,
  clockAheadMs: 0,
  extraRights: [],
  contexts: freepbx,
  endpoints: [
    { name: 'PJSIP/1001', context: 'from-internal', trustsIdentity: false, callerNumber: '' },
    { name: 'PJSIP/isp', context: 'from-trunk-pjsip-isp', trustsIdentity: true, callerNumber: '' },
  ],
  guestContext: '',
  holdsRecords: false,
  uniqueidLength: 18,
  channelsBefore: [],
  channelsAfter: [],
  events: [],
};
const inboundContexts = [
  'from-trunk*',
  'from-pstn*',
  'from-did*',
  'from-digital*',
  'from-analog*',
  'from-external*',
];
const line: Trunk = { endpoint: 'DAHDI/1', source: 'heard', context: 'from-analog', firstAt: 1, lastAt: 2 };

function found(
  changes: Partial<Inspection> = {},
  more: { known?: Trunk[]; recordIdWidth?: number; withheldNumber?: string; reportRules?: string } = {},
): string[] {
  const { withheldNumber } = more;
  const reportRules = (more.reportRules ?? '').split(',').flatMap((text) => readReportRule(text) ?? []);
  const rules = createRules({ ...callSettings, inboundContexts, withheldNumber, reportRules });
  return trunkFindings(
    { ...inspection, ...changes },
    { rules, known: more.known ?? [], recordIdWidth: more.recordIdWidth },
  ).map(({ verdict, what, result }) => `${verdict} ${what}: ${result}`);
}

test("the trunks come first, and the trunk's own context before those that every FreePBX has", () => {
  assert.deepEqual(found(), [
    'ok trunk PJSIP/isp: configured with context from-trunk-pjsip-isp, which matches INBOUND_CONTEXTS; no call seen yet',
    'ok contexts that INBOUND_CONTEXTS matches: from-trunk-pjsip-isp and 8 that no trunk uses; 10 in the dialplan',
  ]);
});

test('a line that only calls show is listed, with the first and the last call and how it writes numbers', () => {
  const [, dahdi = ''] = found({}, { known: [{ ...line, writes: '030xxxxx' }] });
  assert.match(
    dahdi,
    /^ok trunk DAHDI\/1: calls came in in context from-analog, .*; first call .*, last .*; writes numbers as 030xxxxx$/,
  );
});

const records = (changes: Partial<Inspection>, known: Trunk[] = []) =>
  found(changes, { known, recordIdWidth: 32 }).filter((text) => text.includes('CDR_SOURCE'));

test('with CDR_SOURCE: records that Asterisk holds back, and no known trunk', () => {
  const [held = ''] = records({ holdsRecords: true });
  assert.match(held, /^warning .*: Asterisk holds its records back: batch=yes in cdr\.conf$/);
  const [long = ''] = records({ uniqueidLength: 36 });
  assert.match(
    long,
    /^error .*: uniqueids of this PBX have up to 36 characters, .*; their column has room for 32$/,
  );
  const [none = ''] = records({ endpoints: [] });
  assert.match(none, /^warning .*: no trunk is known/);
  assert.deepEqual([...records({}), ...records({ endpoints: [] }, [line])], []);
});

test('with CDR_SOURCE: a trunk whose calls of a gap all count as withheld, and are not reported', () => {
  const known: Trunk[] = [
    { ...line, reveals: true },
    { ...line, endpoint: 'DAHDI/2' },
  ];
  const said = (more: Parameters<typeof found>[1]) =>
    found({}, more).filter((text) => text.includes('withheld'));
  assert.deepEqual(said({ known, recordIdWidth: 32 }), [
    'warning withheld numbers in call records: calls of a gap on DAHDI/1 are not reported: withheld numbers have come in on it, so each number in its records counts as withheld, and WITHHELD_NUMBER is not set',
  ]);
  assert.deepEqual(said({ known, recordIdWidth: 32, withheldNumber: '000' }), []);
  assert.deepEqual(said({ known }), []);
});

test('rules by channel or number called are named where a stranger can choose these', () => {
  const isp = { name: 'PJSIP/isp', context: 'from-trunk-pjsip-isp', trustsIdentity: true, callerNumber: '' };
  const warnings = (reportRules: string, changes: Partial<Inspection> = {}) =>
    found({ endpoints: [{ ...isp, isFoundByName: true }], ...changes }, { reportRules }).filter((text) =>
      text.includes('rules by channel'),
    );
  const byName =
    'warning rules by channel or number called: whoever writes the name of PJSIP/isp into From chooses both';
  for (const rules of ['ignore channel PJSIP/isp', 'report called +4930*,ignore *', 'ignore extension 600'])
    assert.deepEqual(warnings(rules), [byName], rules);
  for (const rules of ['', 'ignore caller +49160*', 'ignore *']) assert.deepEqual(warnings(rules), [], rules);
  const asGuest = 'warning rules by channel or number called: a guest of chan_sip (allowguest) chooses both';
  const guests = { endpoints: [isp], guestContext: 'from-trunk' };
  assert.deepEqual(warnings('ignore channel SIP/fax-*', guests), [asGuest]);
  // Their calls are not reported anyway.
  assert.deepEqual(warnings('ignore channel SIP/fax-*', { ...guests, guestContext: 'public' }), []);
  for (const isFoundByName of [false, undefined])
    assert.deepEqual(warnings('ignore channel x', { endpoints: [{ ...isp, isFoundByName }] }), []);
});
