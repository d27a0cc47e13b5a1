import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inspection } from '../../bridge/ami/inspection.ts';
import { callSettings } from '../../bridge/calls/rules.fixture.ts';
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

function warnings(more: Partial<Inspection>): string[] {
  const options = {
    address: '127.0.0.1:5038',
    username: 'bridge',
    tls: false,
    listenedMs: 0,
    known: [],
    readsRecords: false,
  };
  return pbxFindings(
    { ok: true, inspection: { ...healthy, ...more } },
    { ...options, calls: callSettings },
  ).flatMap(({ verdict, what, result }) =>
    verdict === 'warning' && /version|events of/.test(what) ? `${what}: ${result}` : [],
  );
}

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
