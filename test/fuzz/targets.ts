import assert from 'node:assert/strict';
import { newSession, type SessionAction, sessionLimits, step } from '../../src/agi/agi-protocol.ts';
import { requestText } from '../../src/agi/agi-request.fixture.ts';
import { commandsFor } from '../../src/agi/priority-answer.ts';
import { readPriority } from '../../src/agi/read-priority.ts';
import { isCallEvent, toInput } from '../../src/ami/events.ts';
import { parseRecording, RecordingError } from '../../src/ami/recording/recording.ts';
import { allFields, fieldKey, readFields } from '../../src/ami/wire/frame.ts';
import { createFramer, maxFrame } from '../../src/ami/wire/framer.ts';
import { callEventSchema } from '../../src/api/contract/call-event.ts';
import { type CallStatus, isForward } from '../../src/api/contract/call-status.ts';
import type { ApiAnswer } from '../../src/api/result.ts';
import { createRules } from '../../src/calls/rules.ts';
import { createTracker } from '../../src/calls/tracker.ts';
import { parseLine } from '../../src/cdr/csv-line.ts';
import { classify } from '../../src/delivery/classify.ts';
import { readScenarios } from '../recordings/library.ts';
import type { Target } from './fuzz.ts';

/** What a framer hands on of these bytes, given to it in pieces of such sizes. */
function framesOf(bytes: Buffer, sizes: (index: number) => number): string[] {
  const seen: string[] = [];
  const framer = createFramer({
    onGreeting: (line) => seen.push(`greeting ${line}`),
    wants: isCallEvent,
    onEvent: (frame, event) => seen.push(`event ${event} ${frame.toString('latin1')}`),
    onResponse: (frame) => seen.push(`response ${frame.toString('latin1')}`),
    onIgnored: (event) => seen.push(`ignored ${event}`),
    onTooLong: (name) => seen.push(`lost ${name}`),
  });
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes(index);
    // A copy that is overwritten: the framer may keep no reference to what it was given.
    const piece = Buffer.from(bytes.subarray(at, at + size));
    framer.push(piece);
    piece.fill(0x58);
    at += size;
  }
  return seen;
}

/** Recorded frames of some real calls, as Asterisk sent them. */
const recordedCalls = readScenarios('asterisk-22/')
  .filter(({ name }) => /extension-caller|queue-local|attended-transfer-completed|withheld/.test(name))
  .map(({ recording }) =>
    Buffer.concat(recording.frames.flatMap(({ frame }) => [frame, Buffer.from('\r\n\r\n')])),
  );

/** The same, cut short: changing what is small reaches further. */
const shortCalls = recordedCalls.flatMap((bytes) => [bytes.subarray(0, 2_000), bytes.subarray(0, 8_000)]);

const eventKeys = [
  ...[
    'ActionID',
    'Uniqueid',
    'Linkedid',
    'Channel',
    'ChannelState',
    'CallerIDNum',
    'CID-CallingPres',
    'Context',
  ],
  ...['Exten', 'Newname', 'DestUniqueid', 'DialString', 'Cause', 'BridgeUniqueid', 'BridgeTechnology'],
];
const amiWords = eventKeys
  .map((key) => `${key}: `)
  .concat([
    'Event: ',
    'Event: Newchannel\r\n',
    'Event: Hangup\r\n',
    'Event: BridgeEnter\r\n',
    'Response: Success\r\n',
    'Response: ',
    'ActionID: 1\r\n',
    'ChannelState: 4\r\n',
    'CallerIDNum: <unknown>\r\n',
  ]);

const amiFrames: Target = {
  name: 'AMI frames: any split of the bytes gives the same; both ways to read the fields agree',
  seeds: [
    ...shortCalls,
    Buffer.from('Asterisk Call Manager/9.0.0\r\nResponse: Success\r\nActionID: 1\r\nMessage: x\r\n\r\n'),
    Buffer.from('Asterisk\r\n\r\n\n\r\nEvent: FullyBooted\n\nEvent: Hangup\r\r\n\r\r\n'),
  ],
  words: amiWords,
  run(input) {
    const whole = framesOf(input, () => input.length);
    assert.deepEqual(
      framesOf(input, (index) => 1 + ((index * 7) % 13)),
      whole,
    );
    assert.ok(whole.every((text) => text.length <= maxFrame + 100));
    const frame = input.subarray(0, maxFrame);
    const [, ...behindTheFirst] = frame.toString('latin1').split('\n');
    const all = allFields(Buffer.from(behindTheFirst.join('\n'), 'latin1'), 'utf8');
    const fields = readFields(frame);
    for (const key of eventKeys) {
      const value = fields(fieldKey(key));
      assert.equal(value, all.get(key)?.replace(/\r+$/, ''), key);
      assert.doesNotMatch(value ?? '', /\n/);
    }
  },
};

const rules = createRules({
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*'],
  inboundChannels: ['PJSIP/trunk*'],
  defaultCountry: 'DE',
  withheldNumber: '+4930000000',
  answeredBy: 'endpoint',
});

const amiCalls: Target = {
  name: 'AMI events to what is reported: each call forward only, and every event as the API takes it',
  seeds: shortCalls,
  words: amiWords,
  run(input) {
    const tracker = createTracker(rules, { calls: [], trunks: [] });
    const reported = new Map<string, CallStatus>();
    for (const frame of input.toString('latin1').split('\r\n\r\n')) {
      const bytes = Buffer.from(frame, 'latin1');
      const heard = toInput(allFields(bytes).get('Event') ?? '', bytes, 1_795_000_000_000);
      if (heard === undefined) continue;
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
};

const answerOptions = { defaultPriority: '0', setQueuePrio: true, queuePrio: { vip: 10 }, verbose: true };
const agiCommand =
  /^(SET VARIABLE [A-Z_]+ -?[A-Za-z0-9_.-]{1,33}|SET VARIABLE CALLERID\(name\) "(?:[^"\\\r\n]|\\["\\]){1,120}"|VERBOSE "[^"\\\r\n]*" 1)\n$/;

const agiSession: Target = {
  name: 'AGI session: only whole commands of ours are written, one at a time',
  seeds: [
    Buffer.from(requestText()),
    Buffer.from(
      `${requestText({ agi_network_script: 'priority?number=%2B49&queue_prio=yes' })}200 result=1\n`,
    ),
    Buffer.from(
      `${requestText({}, ['+493012345'])}200 result=1\n520-Invalid\nUsage\n520 End of proper usage.\nHANGUP\n`,
    ),
  ],
  words: [
    'agi_callerid: ',
    'agi_arg_1: ',
    '200 result=1\n',
    '520-',
    '520 End',
    'HANGUP\n',
    '?number=',
    '511 ',
  ],
  run(input) {
    let session = newSession;
    /** A command is written for a line that came, or not at all: Asterisk reads one at a time. */
    let lines = 0;
    const act = (actions: readonly SessionAction[]) => {
      for (const action of actions) {
        if (action.type === 'write') {
          assert.match(action.text, agiCommand);
          lines -= 1;
          assert.ok(lines >= 0, 'a second command before the reply to the first');
        }
        if (action.type === 'refused') assert.ok(action.reply.length <= sessionLimits.replyBytes);
        if (action.type === 'ask') {
          assert.doesNotMatch(action.request.number, /[\r\n]/);
          const answer = { status: 'FOUND', value: input.toString('latin1').slice(-20) } as const;
          const next = step(session, { type: 'answer', commands: commandsFor(answer, answerOptions) });
          session = next.session;
          act(next.actions);
        }
      }
    };
    for (let at = 0; at < input.length && session.phase !== 'over'; at += 97) {
      const bytes = input.subarray(at, at + 97);
      lines += bytes.toString('latin1').split('\n').length - 1;
      const next = step(session, { type: 'bytes', bytes });
      session = next.session;
      act(next.actions);
    }
  },
};

const answerWith = (input: Buffer): ApiAnswer => ({
  kind: 'answer',
  status: [200, 201, 204, 302, 404, 422, 429, 503][(input[0] ?? 0) % 8] ?? 200,
  contentType: (input[1] ?? 0) % 4 === 0 ? 'text/html' : 'application/json',
  retryAfter: input.subarray(2, 20).toString('latin1'),
  location: input.subarray(20, 60).toString('latin1'),
  body: input.subarray(2).toString('utf8'),
  truncated: (input[1] ?? 0) % 32 === 31,
  durationMs: 1,
});

const bodies = [
  '{"priority":10}',
  '{"data":{"priority":"vip"}}',
  '{"data":null}',
  '[]',
  `{"result":"${'a'.repeat(48)}"}`,
  '{"message":"The given data was invalid.","errors":{"from":["x"]}}',
  '<!doctype html><title>Sign in</title>',
].map((text) => Buffer.from(`\0\x01${text}`));

const priorityAnswer: Target = {
  name: 'priority answer: nothing of it can become a second AGI command',
  seeds: bodies,
  words: ['"priority":', '"name":"', '"data":', 'null', '\\n', '\\u000a', '{"priority":"', '1e400'],
  run(input) {
    const reading = readPriority(answerWith(input), { priority: 'priority', name: 'name' });
    for (const command of commandsFor(reading, answerOptions, { setName: true }))
      assert.match(`${command}\n`, agiCommand);
    assert.ok(reading.status === 'FOUND' || reading.value === undefined);
  },
};

const eventAnswer: Target = {
  name: "answer to a call event: delivered only by the API's own words; the reason is one harmless line",
  seeds: bodies,
  words: ['"result":"', '"message":"', '{"result":', '\\u001b[2J', '\u202e', 'Fri, 20 Nov 2026 10:00:00 GMT'],
  run(input) {
    const answer = answerWith(input);
    const { verdict, reason, retryAfterMs } = classify(answer, 1_795_000_000_000);
    if (verdict === 'delivered') {
      assert.ok(answer.status >= 200 && answer.status < 300 && !answer.truncated);
      assert.equal(typeof JSON.parse(answer.body).result, 'string');
    }
    assert.doesNotMatch(reason, /[\p{Cc}\p{Cf}\u2028\u2029]/u);
    assert.ok(reason.length < 1_000);
    if (retryAfterMs !== undefined) assert.ok(retryAfterMs >= 0 && retryAfterMs <= 60_000);
  },
};

const cdrLine: Target = {
  name: 'line of Master.csv: a record or none, never an exception',
  seeds: [
    Buffer.from(
      '"","+4930123","s","from-trunk","""A"" <+4930123>","PJSIP/trunk-00000001","PJSIP/1001-00000002","Dial","PJSIP/1001,30","2026-11-20 10:00:00","2026-11-20 10:00:02","2026-11-20 10:00:09",9,7,"ANSWERED","DOCUMENTATION","1795168800.12",""',
    ),
    Buffer.from('a,b,c,d,e,f,g,h,i,j,k,l,1,2,o,p,sys-1795168800.1'),
  ],
  words: ['","', ',,', '"', '""', '1795168800.1', 'PJSIP/'],
  run(input) {
    const record = parseLine(input.toString('utf8'));
    if (typeof record === 'string') return;
    assert.match(record.uniqueid, /\d+\.\d+$/);
    const { start = 0, duration = 0, billsec = 0, ...texts } = record;
    assert.ok([start, duration, billsec].every(Number.isFinite));
    assert.ok(Object.values(texts).every((value) => typeof value === 'string'));
  },
};

const recording: Target = {
  name: 'recording file: read, or refused with the line that is wrong',
  seeds: [
    Buffer.from(
      '{"recording":1,"asterisk":"22.10.1","row":"x","startedAt":1795000000000,"channels":[],"bridges":[]}\n{"ms":0,"frame":"Event: Hangup\\r\\nUniqueid: 1.1"}\n{"ms":1,"frameLatin1":"Event: X"}\n',
    ),
  ],
  words: ['"frame":', '"ms":', '"channels":[', '{"recording":1', 'null', '\n'],
  run(input) {
    try {
      parseRecording(input.toString('utf8'));
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      assert.match(error.message, /^line \d+: /);
    }
  },
};

/** Everything that reads what somebody else wrote, and is pure. */
export const targets: readonly Target[] = [
  amiFrames,
  amiCalls,
  agiSession,
  priorityAnswer,
  eventAnswer,
  cdrLine,
  recording,
];
