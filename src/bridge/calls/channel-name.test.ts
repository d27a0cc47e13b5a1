import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  channelKind,
  dialledNumber,
  endpointOf,
  extensionOf,
  goesOverTrunk,
  numberInAddress,
} from './channel-name.ts';

test('the number in a dial string', () => {
  const rows = [
    ['1001', '1001'],
    ['0612345678@trunk', '0612345678'],
    ['g0/0612345678', '0612345678'],
    ['trunk/sip:+31612345678@10.0.0.1:5060', '+31612345678'],
    ['i1/0612345678', '0612345678'],
    ['reception@10.0.0.1', ''],
    ['', ''],
  ] as const;
  for (const [dialString, number] of rows) assert.equal(dialledNumber(dialString), number, dialString);
});

test('a leg goes out over a trunk if another number than its own is dialled', () => {
  const rows = [
    ['PJSIP/1001-00000001', '1001', false],
    ['PJSIP/1001-00000001', '1001/sip:1234567@10.0.0.1', false],
    ['PJSIP/anna-00000001', 'anna/sip:123456@10.0.0.1', false],
    ['PJSIP/provider-00000001', 'provider/sip:1234567@10.0.0.1', true],
    ['PJSIP/trunk-00000001', '0612345678@trunk', true],
    ['Local/s@ring-0001;1', '0612345678', false],
    // Names that begin with digits, dialled by their names.
    ...['204w', '2041p', '30123x', '204,1', '1001@home', '00123', '204-WS', '1001 x2'].map(
      (own) => [`PJSIP/${own}-00000001`, own, false] as const,
    ),
    ['PJSIP/1001@home-00000001', '1001@home/sip:1001@10.0.0.1:5060', false],
    ['PJSIP/204w-00000001', '0612345678@204w', true],
    // A proxy for phones, and a phone that has registered under another number than the one that was called.
    ['PJSIP/kamailio-00000001', 'kamailio/sip:1001@10.0.0.1', true, '1001'],
    ['PJSIP/kamailio-00000001', 'kamailio/sip:1001@10.0.0.1', false, '302000'],
    ['PJSIP/anna-00000001', 'anna/sip:anna@10.0.0.1', false, '204'],
    ['PJSIP/1001-00000001', '1001/sip:205@10.0.0.1', false, '205'],
    // By the PBX's configuration a phone: it may have registered under a long number, which is not the one that was called.
    ['PJSIP/anna-00000001', 'anna/sip:12345678@10.0.0.1', true, '204'],
    ['PJSIP/anna-00000001', 'anna/sip:12345678@10.0.0.1', false, '204', 'phone'],
    ['PJSIP/anna-00000001', 'anna/sip:493012345678@10.0.0.1', false, '', 'phone'],
    ['PJSIP/anna-00000001', 'anna/sip:204@10.0.0.1', false, '204', 'phone'],
    ['PJSIP/anna-00000001', 'anna/sip:493012345678@10.0.0.1', false, '493012345678', 'phone'],
    ['PJSIP/kamailio-00000001', 'kamailio/sip:1001@10.0.0.1', false, '1001', 'phone'],
    ['PJSIP/provider-00000001', 'provider/sip:+31612345678@10.0.0.1', true, '204', 'phone'],
    ['PJSIP/provider-00000001', '0612345678@provider', true, '204', 'phone'],
  ] as const;
  for (const [name, dialString, goesOut, number = '', configured] of rows)
    assert.equal(
      goesOverTrunk({ name, kind: channelKind(name), number }, dialString, configured === 'phone'),
      goesOut,
      `${name} ${dialString}`,
    );
});

test('a phone that is dialled by the address of an endpoint with a name has the number in it', () => {
  const rows = [
    ['PJSIP/kamailio-00000001', 'kamailio/sip:1001@10.0.0.1', '1001', '1001'],
    ['PJSIP/anna-00000001', 'anna/sip:204@10.0.0.1', '204', '204'],
    ['PJSIP/anna-00000001', 'anna/sip:205@10.0.0.1', '204', ''],
    ['PJSIP/anna-00000001', 'anna/sip:anna@10.0.0.1', '', ''],
    ['PJSIP/1001-00000001', '1001/sip:205@10.0.0.1', '205', ''],
    ['PJSIP/anna-00000001', 'anna', '204', ''],
  ] as const;
  for (const [name, dialString, number, of] of rows)
    assert.equal(numberInAddress({ name, number }, dialString), of, `${name} ${dialString}`);
});

test('what a channel is, by its name', () => {
  const rows = [
    ['PJSIP/1001-00000001', 'real'],
    ['Local/s@ring-0001;1', 'local'],
    ['PJSIP/1001-00000001<ZOMBIE>', 'pseudo'],
    ['PJSIP/1001-00000001<MASQ>', 'pseudo'],
    ['Message/ast_msg_queue', 'pseudo'],
    ['no-technology', 'pseudo'],
    ['/1001-00000001', 'pseudo'],
    ['X/1001-00000001', 'real'],
    ['', 'pseudo'],
  ] as const;
  for (const [name, kind] of rows) assert.equal(channelKind(name), kind, name);
});

test('the endpoint of a channel, and its extension', () => {
  const rows = [
    ['PJSIP/1001-0000002a', 'PJSIP/1001', '1001'],
    ['SIP/my-phone-0000002a', 'SIP/my-phone', 'my-phone'],
    ['DAHDI/i1/5551234-1', 'DAHDI/i1', 'i1'],
    ['Console/dsp', 'Console/dsp', 'dsp'],
  ] as const;
  for (const [name, endpoint, extension] of rows)
    assert.deepEqual([endpointOf(name), extensionOf(name)], [endpoint, extension]);
});
