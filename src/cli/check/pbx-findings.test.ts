import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inspection } from '../../bridge/ami/inspection.ts';
import { readReportRule } from '../../bridge/calls/report-rules.ts';
import { callSettings } from '../../bridge/calls/rules.fixture.ts';
import { caller } from '../../bridge/calls/tracker.fixture.ts';
import { pbxFindings } from './pbx-findings.ts';

const healthy: Inspection = {
  version: '22.10.1',
  clockAheadMs: 0,
  extraRights: [],
  contexts: [],
  endpoints: [],
  guestContext: '',
  holdsRecords: false,
  channelsBefore: [],
  channelsAfter: [],
  events: [],
  unanswered: [],
  lacksLinkedid: false,
  unseenBridges: 0,
  uniqueidLength: 18,
};

function findings(more: Partial<Inspection>, { listenedMs = 0, rules = '' } = {}) {
  const options = {
    address: '127.0.0.1:5038',
    username: 'bridge',
    tls: false,
    listenedMs,
    known: [],
    readsRecords: false,
  };
  const reportRules = rules.split(', ').flatMap((rule) => readReportRule(rule) ?? []);
  const calls = { ...callSettings, reportRules };
  return pbxFindings({ ok: true, inspection: { ...healthy, ...more } }, { ...options, calls });
}

function warnings(more: Partial<Inspection>): string[] {
  return findings(more).flatMap(({ verdict, what, result }) =>
    verdict === 'warning' && /version|events of/.test(what) ? `${what}: ${result}` : [],
  );
}

const versions: readonly [version: string, verdict: string | undefined, result: string][] = [
  ['22.11.0-rc2', 'ok', 'each change is tried with Asterisk 22'],
  ['16.28.0', 'ok', 'each change is tried with Asterisk 16'],
  ['certified/18.9-cert4', 'ok', 'Asterisk 18 was tried, and each change is tried with its recordings'],
  ['21.12.3', 'ok', 'Asterisk 21 was not tried itself, only 16, 18, 20, 22, 23'],
  ['24.0.0', 'ok', 'Asterisk 24 is newer than those that were tried: 16, 18, 20, 22, 23'],
  ['13.38.3', 'warning', 'Asterisk 13.38.3 is not supported: the oldest supported version is 16'],
  ['GIT-master-1234', undefined, ''],
];
for (const [version, verdict, result] of versions)
  test(`the check says how ${version} was tried`, () => {
    const found = findings({ version }).find(({ what }) => what === 'version of Asterisk');
    assert.deepEqual([found?.verdict, found?.result ?? ''], [verdict, result]);
  });

test('the check names what Asterisk leaves out of its events, and a version that is too old', () => {
  assert.deepEqual(warnings({}), []);
  assert.deepEqual(warnings({ version: 'certified/18.9-cert4' }), []);
  assert.match(
    warnings({ version: '13.1.0' }).join(),
    /^version of Asterisk: Asterisk 13\.1\.0 is not supported/,
  );
  assert.match(
    warnings({ version: '11.25.3', lacksLinkedid: true })[1] ?? '',
    /^events of channels: .* 11\.25\.3 /,
  );
  assert.match(warnings({ unseenBridges: 2 }).join(), /^events of bridges: Asterisk sends no BridgeEnter/);
});

test('check --call says which rule decides about the test call', () => {
  const result = (rules: string) =>
    findings({ events: [caller] }, { listenedMs: 1_000, rules }).find(({ what }) =>
      what.startsWith('call on'),
    )?.result ?? '';
  assert.match(result(''), /^reported: its context from-trunk-isp matches INBOUND_CONTEXTS; its number 020/);
  assert.match(
    result('report extension s, ignore *'),
    /^reported: .*; REPORT_RULES: report extension s; its/,
  );
  assert.match(result('ignore caller 030*'), /^reported: .*; no rule of REPORT_RULES matches; its number /);
  assert.match(
    result('ignore channel PJSIP/trunk'),
    /^ignored by REPORT_RULES: ignore channel PJSIP\/trunk \(its context from-trunk-isp matches INBOUND_CONTEXTS\); its number 020/,
  );
});
