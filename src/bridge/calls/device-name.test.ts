import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDeviceName } from './device-name.ts';
import { callSettings } from './rules.fixture.ts';
import { createRules } from './rules.ts';

const deviceNames = ['99*=*', '*-WS=*', 'DAHDI/7=112', 'kx7q=101', 'SIP/agent*=2*00'].map((text) => {
  const read = readDeviceName(text);
  assert.ok(read, text);
  return read;
});
const { extension } = createRules({ ...callSettings, deviceNames });

const devices: readonly [told: string, channel: string, extension: string][] = [
  ['991001', 'PJSIP/991001-0000002a', '1001'],
  ['1001', 'PJSIP/1001-0000002a', '1001'],
  ['99', 'PJSIP/99-0000002a', '99'],
  ['204-WS', 'PJSIP/204-WS-0000002a', '204'],
  ['204-ws', 'PJSIP/204-ws-0000002a', '204'],
  ['7', 'DAHDI/7-1', '112'],
  ['7', 'PJSIP/7-0000002a', '7'],
  ['kx7q', 'PJSIP/kx7q-0000002a', '101'],
  ['kx7qz', 'PJSIP/kx7qz-0000002a', 'kx7qz'],
  ['agent3', 'SIP/agent3-0000002a', '2300'],
  // An entry without a slash is about names: its star must not take in the technology of the endpoint.
  ['204', 'PJSIP/204-WS-0000002a', '204'],
  ['100', 'PJSIP/anna-ws-0000002a', '100'],
  // What is told may be another than the endpoint: its caller id number.
  ['991002', 'PJSIP/anna-0000002a', '1002'],
];
for (const [told, channel, expected] of devices)
  test(`the device ${channel} is extension ${expected}`, () =>
    assert.equal(extension(told, channel), expected));

for (const text of ['', '*=*', '=1', '99*', '99*=', '1=*', '9*9*=*', '99*=**', 'a=b=c'])
  test(`${text} does not say how a device's name becomes an extension`, () =>
    assert.equal(readDeviceName(text), undefined));
