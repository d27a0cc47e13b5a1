import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReportRule } from '../calls/report-rules.ts';
import { callSettings } from '../calls/rules.fixture.ts';
import { createRules } from '../calls/rules.ts';
import type { LedgerEntry } from '../outbox/tables/ledger.ts';
import { type CdrRecord, usualRecords } from './cdr-source.ts';
import { decideDue } from './due-decision.ts';
import { createPendingCalls, type PendingCall } from './pending-calls.ts';

const uniqueid = '1800000101.1';
const id = `pbx-${uniqueid}`;
const missed: CdrRecord = {
  src: '04066969100',
  dst: '4930123',
  dcontext: 'from-trunk',
  channel: 'PJSIP/trunk-00000001',
  dstchannel: '',
  lastapp: 'Dial',
  lastdata: '',
  disposition: 'NO ANSWER',
  uniqueid,
  did: '',
};
const answered = { ...missed, dstchannel: 'PJSIP/1001-00000002', disposition: 'ANSWERED' };
const machine = { ...answered, dstchannel: 'SIP/fax-00000002' };
const internal = { ...missed, dcontext: 'from-internal' };
const withheld = { ...missed, channel: 'PJSIP/secret-00000001' };
const nameless = { ...missed, src: '' };

const context = {
  rules: createRules({ ...callSettings, defaultCountry: 'DE', notAPerson: ['SIP/fax'] }),
  trunks: new Set<string>(),
  isPhone: () => false,
  presumesWithheld: (endpoint: string) => endpoint === 'PJSIP/secret',
  vanished: new Set<string>(),
  since: 0,
  now: 1_800_000_200_000,
};

function decide(
  record: CdrRecord,
  { isGone = false, since = 0, entry = undefined as LedgerEntry | undefined, rules = '' } = {},
) {
  const pending = createPendingCalls(() => usualRecords);
  pending.add(record, 0, 0);
  const call = pending.calls.get(uniqueid) as PendingCall;
  const vanished = new Set(isGone ? [uniqueid] : []);
  const reportRules = rules.split(', ').flatMap((item) => readReportRule(item) ?? []);
  return decideDue({ read: uniqueid, uniqueid, call }, entry, {
    ...context,
    rules: createRules({ ...context.rules, reportRules }),
    vanished,
    since,
  });
}

const known: LedgerEntry = { reported: ['ringing', 'completed'] };

for (const [what, record, options, effects] of [
  ['missed', missed, {}, ['report']],
  ['answered', answered, {}, ['report']],
  ['answered by a machine', machine, {}, ['journal', 'report']],
  ['not from outside', internal, {}, ['journal', 'not-reported']],
  ['not from outside, known', internal, { entry: known }, []],
  [
    'without a number, on a trunk that reveals none',
    withheld,
    {},
    ['all-withheld', 'journal', 'not-reported'],
  ],
  ['without a number', nameless, {}, ['journal', 'not-reported']],
  ['known', missed, { entry: known }, ['skip']],
  ['too old', missed, { since: context.now }, ['skip']],
  ['gone, and missed', missed, { isGone: true }, ['end']],
  ['gone, and answered by a machine', machine, { isGone: true }, ['journal', 'end']],
  ['gone, without a number', withheld, { isGone: true }, ['all-withheld', 'end']],
  ['gone, not from outside', internal, { isGone: true }, ['end']],
  ['gone, and known from its beginning', missed, { isGone: true, entry: { reported: ['ringing'] } }, ['end']],
] as const) {
  test(`a call with records that is ${what}`, () => {
    const decided = decide(record, options);
    assert.deepEqual(
      decided.map(({ type }) => type),
      effects,
    );
  });
}

test('a call that is gone ends with who answered, and who called', () => {
  const [end] = decide(answered, { isGone: true });
  assert.ok(end?.type === 'end');
  assert.equal(end.ended.callerId, '1001');
  assert.equal(end.ended.number && 'from' in end.ended.number && end.ended.number.from, '+494066969100');
  const [unknown] = decide(internal, { isGone: true });
  assert.deepEqual(unknown, { type: 'end', ended: { at: context.now, uniqueid } });
});

test('a rule ignores a call from outside; the log, the ledger and the journal name it', () => {
  for (const rules of [
    'ignore caller +4940*',
    'report called +3*, ignore *',
    'ignore extension 4930123',
    'ignore channel PJSIP/trunk',
  ]) {
    const why = `REPORT_RULES: ${rules.split(', ').at(-1)}`;
    const [journal, entry] = decide(missed, { rules });
    assert.ok(journal?.type === 'journal' && entry?.type === 'not-reported', rules);
    assert.deepEqual(journal.entry.event, { code: 'unreported-record', why });
    assert.deepEqual([entry.reason, entry.why], ['ignored', why]);
  }
  const [report] = decide(missed, { rules: 'report called 4930123, ignore *' });
  assert.equal(report?.type, 'report');
});

test('a rule does not end what was reported of a call', () => {
  const reported: LedgerEntry = { reported: ['ringing'] };
  const [report] = decide(missed, { rules: 'ignore *', entry: reported });
  assert.ok(report?.type === 'report');
  assert.deepEqual(
    report.events.map(({ status, from }) => [status, from]),
    [['completed', '+494066969100']],
  );
  const [end] = decide(missed, { rules: 'ignore *', entry: reported, isGone: true });
  assert.ok(end?.type === 'end' && end.ended.number && 'from' in end.ended.number);
});

test('the tracker judges a call that is gone: it knows better which number was called', () => {
  const [end] = decide(missed, { rules: 'ignore *', isGone: true });
  assert.ok(end?.type === 'end');
  assert.deepEqual(end.ended.number, { from: '+494066969100', how: 'as dialled in DE' });
});

test('a call that is not reported goes into the ledger and the journal; the log has only those from outside', () => {
  const [journal, entry] = decide(internal);
  assert.ok(journal?.type === 'journal' && entry?.type === 'not-reported');
  assert.deepEqual(
    [journal.entry.call, journal.entry.event],
    [id, { code: 'unreported-record', why: entry.why }],
  );
  assert.equal(entry.reason, undefined);
  const [, second] = decide(nameless);
  assert.equal(second?.type === 'not-reported' && second.reason, 'no-number');
});
