import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toInput, toStatus } from './events.ts';
import { readFields } from './wire/frame.ts';

const at = 1_795_155_977_111;

type Said = Readonly<Record<string, string | undefined>>;

function frame(event: string, said: Said): Buffer {
  const lines = Object.entries({ Event: event, Privilege: 'call,all', ...said })
    .filter(([, value]) => value !== undefined)
    .map((line) => line.join(': '));
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

const input = (event: string, said: Said) => toInput(event, fields(event, said), at);
const fields = (event: string, said: Said) => readFields(frame(event, said));
const channel = {
  Channel: 'PJSIP/trunk-0000002a',
  ChannelState: '4',
  CallerIDNum: '+493012345',
  Context: 'from-trunk',
  Exten: '100',
  Uniqueid: '1795155977.42',
  Linkedid: '1795155977.42',
};
const uid = '1795155977.42';

test('every event of a channel says its state', () => {
  const more = { BridgeUniqueid: 'b', Cause: '16', DestUniqueid: '1795155977.43' };
  for (const event of ['BridgeEnter', 'BridgeLeave', 'NewCallerid', 'HangupRequest', 'Hangup', 'DialBegin']) {
    const heard: object = input(event, { ...channel, ...more }) ?? {};
    assert.equal(Object.entries(heard).find(([key]) => /^(state|byState)$/.test(key))?.[1], 4, event);
  }
});

/** Asterisk's own words for every presentation, from its callerid.c. */
test('the presentation of an event', () => {
  for (const [said, presentation] of [
    ...[0, 1, 2, 3].map((code) => [`${code} (Presentation Allowed, Network Number)`, 'allowed'] as const),
    ...[32, 33, 34, 35].map(
      (code) => [`${code} (Presentation Prohibited, Failed Screen)`, 'prohibited'] as const,
    ),
    ['67 (Number Unavailable)', 'unavailable'],
    ['', 'allowed'],
    [undefined, 'allowed'],
  ] as const) {
    const heard = input('NewCallerid', { ...channel, 'CID-CallingPres': said });
    assert.equal(heard?.type === 'caller-number' && heard.presentation, presentation, String(said));
  }
});

/** What CALLERID(num-pres) says, from Asterisk's callerid.c. */
test('the presentation of a Status, its number that was dialled, and none without the variable', () => {
  const statusOf = (Variable?: string) => toStatus(fields('Status', { ...channel, Variable, DNID: '100' }));
  for (const [value, presentation] of [
    ...['allowed_not_screened', 'allowed_passed_screen', 'allowed'].map((it) => [it, 'allowed'] as const),
    ...['prohib_not_screened', 'prohib_failed_screen', 'prohib'].map((it) => [it, 'prohibited'] as const),
    ['unavailable', 'unavailable'],
    ['', 'unknown'],
  ] as const) {
    const status = { uniqueid: uid, presentation, dnid: '100', presented: '' };
    assert.deepEqual(statusOf(`CALLERID(num-pres)=${value}`), status, value);
  }
  assert.equal(statusOf().presentation, 'unknown');
  assert.equal(toStatus(fields('Status', channel)).dnid, undefined);
  // What FreePBX's inbound route leaves: everything allowed, and what the caller wanted in a variable.
  for (const saved of ['CALLINGNUMPRES_SV', 'CALLINGPRES_SV'])
    for (const [value, presentation] of [
      ['prohib_passed_screen', 'prohibited'],
      ['allowed_not_screened', 'allowed'],
      ['', 'allowed'],
    ] as const) {
      const status = statusOf(`CALLERID(num-pres)=allowed_not_screened\r\nVariable: ${saved}=${value}`);
      assert.equal(status.presentation, presentation, `${saved}=${value}`);
    }
});

test('a Status has what the trunk presented as the ANI, whatever the dialplan made of the caller id', () => {
  const variables = (ani: string) =>
    `CALLERID(num-pres)=allowed\r\nVariable: CALLERID(ani-num-pres)=prohib\r\nVariable: CALLERID(ani)=${ani}`;
  for (const [ani, presented] of [
    ['+4930901820', '+4930901820'],
    ['(null)', ''],
    ['', ''],
  ] as const) {
    const status = toStatus(fields('Status', { ...channel, Variable: variables(ani) }));
    assert.deepEqual([status.presentation, status.presented], ['prohibited', presented]);
  }
});
