import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inputsOf, parseRecording, RecordingError } from '../../src/bridge/ami/recording/recording.ts';
import { callSettings } from '../../src/bridge/calls/rules.fixture.ts';
import { createRules } from '../../src/bridge/calls/rules.ts';
import { createTracker } from '../../src/bridge/calls/tracker.ts';
import { parseRecord } from '../../src/bridge/cdr/csv-record.ts';
import { callEventSchema } from '../../src/shared/api/contract/call-event.ts';
import { type CallStatus, isForward } from '../../src/shared/api/contract/call-status.ts';
import { classify } from '../../src/shared/delivery/classify.ts';
import { readScenarios } from '../recordings/library.ts';

/**
 * What reads texts of others, given right ones in which parts are left out, repeated, and replaced by words of the
 * format and by noise. The framer and its fields, AGI sessions and what is answered there have properties of their own, beside them.
 */
const check = (
  name: string,
  seeds: readonly string[],
  words: readonly string[],
  run: (text: string) => void,
) =>
  test(name, () => {
    const seed = fc.constantFrom(...seeds);
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const part = fc.tuple(seed, share).map(([text, at]) => text.slice(at * text.length).slice(0, 300));
    const noise = fc.string({ unit: 'binary', maxLength: 8 });
    const insert = fc.oneof(part, fc.constantFrom(...words), noise, fc.constant(''));
    const change = fc.record({ at: share, remove: fc.oneof(fc.nat(8), fc.nat(400)), insert });
    const texts = fc.tuple(seed, fc.array(change, { maxLength: 5, size: 'max' })).map(([text, changes]) =>
      changes.reduce((before, { at, remove, insert }) => {
        const from = Math.floor(at * before.length);
        return before.slice(0, from) + insert + before.slice(from + remove);
      }, text),
    );
    // Others every day, and the same ones all day.
    const today = Math.floor(Date.now() / 86_400_000);
    fc.assert(fc.property(texts, run), { numRuns: 5_000, seed: today });
  });

const rules = createRules({
  ...callSettings,
  defaultCountry: 'DE',
  withheldNumber: '+4930000000',
  inboundChannels: ['PJSIP/trunk*'],
});
/** The beginnings of some real calls, as Asterisk sent them. */
const calls = readScenarios('asterisk-22/')
  .filter(({ name }) => /extension-caller|queue-local|attended-transfer-completed|withheld/.test(name))
  .map(({ recording }) => recording.frames.map(({ frame }) => `${frame.toString('latin1')}\r\n\r\n`).join(''))
  .flatMap((text) => [text.slice(0, 2_000), text.slice(0, 12_000)]);
const frames = [
  'Event: Newchannel\r\n',
  'Event: Hangup\r\n',
  'Event: BridgeEnter\r\n',
  'ChannelState: 4\r\n',
];
const keys = ['Uniqueid', 'Linkedid', 'Channel', 'CallerIDNum', 'CID-CallingPres', 'DestUniqueid', 'Cause'];

check(
  'AMI events to what is reported: each call forward only, and every event as the API takes it',
  calls,
  [
    ...frames,
    ...keys.map((key) => `${key}: `),
    'CallerIDNum: <unknown>\r\n',
    '\r\n',
    '\r\n\r\n',
    '__proto__',
  ],
  (text) => {
    const tracker = createTracker(rules, { calls: [], trunks: [] });
    const reported = new Map<string, CallStatus>();
    const frames = text.split('\r\n\r\n').map((frame) => ({ ms: 0, frame: Buffer.from(frame, 'latin1') }));
    const startedAt = 1_795_000_000_000;
    for (const heard of inputsOf({ asterisk: '', row: '', startedAt, channels: [], bridges: [], frames })) {
      for (const effect of tracker.apply(heard)) {
        if (effect.type !== 'report') continue;
        const { id, status, from, callerId } = effect;
        assert.ok(isForward(reported.get(id), status), `${status} after ${reported.get(id)}`);
        reported.set(id, status);
        const event = { id, direction: 'inbound', status, from, ...(callerId && { caller_id: callerId }) };
        const parsed = callEventSchema.safeParse(event);
        assert.ok(parsed.success, `${JSON.stringify(event)}: ${parsed.error?.message}`);
      }
    }
  },
);

check(
  "an answer to a call event: delivered only by the API's own words; the reason is one harmless line",
  [
    '{"priority":10}',
    '{"data":{"priority":"vip"}}',
    '[]',
    `{"result":"${'a'.repeat(48)}"}`,
    '{"message":"The given data was invalid.","errors":{"from":["x"]}}',
    '<title>Sign in</title>',
  ],
  [
    '"result":"',
    '{"result":',
    '"message":"',
    '\\u001b[2J',
    '\u202e',
    'Fri, 20 Nov 2026 10:00:00 GMT',
    'null',
  ],
  (body) => {
    for (const status of [200, 204, 302, 404, 422, 429, 503])
      for (const truncated of [false, true]) {
        const [retryAfter, location] = [body.slice(-20), body.slice(0, 40)];
        const answer = { kind: 'answer', contentType: 'application/json', durationMs: 1 } as const;
        const { verdict, reason, retryAfterMs } = classify(
          { ...answer, status, body, truncated, retryAfter, location },
          1_795_000_000_000,
        );
        if (verdict === 'delivered') {
          assert.ok(status < 300 && !truncated);
          assert.equal(typeof JSON.parse(body).result, 'string');
        }
        assert.doesNotMatch(reason, /[\p{Cc}\p{Cf}\u2028\u2029]/u);
        assert.ok(reason.length < 1_000);
        if (retryAfterMs !== undefined) assert.ok(retryAfterMs >= 0 && retryAfterMs <= 60_000);
      }
  },
);

check(
  'a line of Master.csv: a record or none, never an exception',
  [
    '"","+4930123","s","from-trunk","""A"" <+4930123>","PJSIP/trunk-00000001","PJSIP/1001-00000002","Dial","PJSIP/1001,30","2026-11-20 10:00:00","2026-11-20 10:00:02","2026-11-20 10:00:09",9,7,"ANSWERED","DOCUMENTATION","1795168800.12",""',
    '"a","b","c","d","e","f","g","h","i","j","k","l",1,2,"o","p","sys-1795168800.1"',
  ],
  ['","', ',,', '"', '""', '1795168800.1', 'PJSIP/', '1e309', '-1'],
  (text) => {
    const record = parseRecord(text);
    if (typeof record === 'string') return;
    assert.match(record.uniqueid, /^\S+$/);
    const { start = 0, duration = 0, ...texts } = record;
    assert.ok([start, duration].every(Number.isFinite));
    assert.ok(Object.values(texts).every((value) => typeof value === 'string'));
  },
);

check(
  'a recording: read, or refused with the line that is wrong',
  [
    '{"recording":1,"asterisk":"22.10.1","row":"x","startedAt":1795000000000,"channels":[],"bridges":[]}\n',
    '{"ms":0,"frame":"Event: Hangup\\r\\nUniqueid: 1.1"}\n{"ms":1,"frameLatin1":"Event: X"}\n',
  ],
  ['"frame":', '"ms":', '"channels":[', '{"recording":1', 'null', '\n', '__proto__'],
  (text) => {
    try {
      parseRecording(text);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      assert.match(error.message, /^line \d+: /);
    }
  },
);
