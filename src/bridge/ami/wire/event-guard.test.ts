import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amiEvent } from '../../../../test/tools/fakes/ami-event.ts';
import { createEventGuard } from './event-guard.ts';
import { fieldKey } from './frame.ts';
import { createFramer } from './framer.ts';

const victim = { Channel: 'PJSIP/trunk-0000000a', Uniqueid: '1795000000.9', Linkedid: '1795000000.9' };
const own = {
  Channel: 'PJSIP/trunk-0000000b',
  CallerIDNum: '+49305550002',
  ConnectedLineNum: '1001',
  Context: 'from-trunk',
  Exten: '300',
  Uniqueid: '1795000000.10',
  Linkedid: '1795000000.10',
};
const dialled = {
  ...own,
  DestChannel: 'Local/300@ring-00000001;1',
  DestCallerIDNum: '300',
  DestConnectedLineNum: '+49305550002',
  DestExten: '300',
  DestUniqueid: '1795000000.11',
  DestLinkedid: '1795000000.10',
  DialString: '300@ring',
};
const bridge = { BridgeUniqueid: '3a8e7a6c-5f0e-4e6f-9c0e-0b7a1f2d3c4e', BridgeName: '300' };

const transfer = Object.fromEntries(
  ['OrigTransferer', 'SecondTransferer', 'Transferee'].flatMap((prefix) =>
    Object.entries(own).map(([key, value]) => [`${prefix}${key}`, value] as const),
  ),
);

/** The events that the bridge reads, with the values that a caller chooses. */
const events: readonly (readonly [
  event: string,
  values: Record<string, string>,
  chosen: readonly string[],
])[] = [
  ...['Newchannel', 'Newstate', 'Hangup'].map(
    (event) => [event, own, ['CallerIDNum', 'ConnectedLineNum', 'Exten', 'Channel']] as const,
  ),
  ['NewCallerid', { ...own, 'CID-CallingPres': '0' }, ['CallerIDNum', 'ConnectedLineNum', 'Exten']],
  ['HangupRequest', { ...own, Cause: '16' }, ['CallerIDNum', 'ConnectedLineNum', 'Exten']],
  ['BridgeEnter', { ...bridge, ...own }, ['CallerIDNum', 'ConnectedLineNum', 'Exten', 'BridgeName']],
  ['BridgeLeave', { ...bridge, ...own }, ['CallerIDNum', 'ConnectedLineNum', 'Exten']],
  ['BridgeDestroy', bridge, ['BridgeName']],
  [
    'DialBegin',
    dialled,
    [
      'CallerIDNum',
      'Exten',
      'DestChannel',
      'DestCallerIDNum',
      'DestConnectedLineNum',
      'DestExten',
      'DialString',
    ],
  ],
  [
    'AttendedTransfer',
    { Result: 'Success', ...transfer, IsExternal: 'No', DestType: 'App' },
    ['OrigTransfererCallerIDNum', 'TransfereeCallerIDNum', 'TransfereeExten', 'SecondTransfererExten'],
  ],
  [
    'Rename',
    { Channel: own.Channel, Newname: 'Local/300@x-1;1', Uniqueid: own.Uniqueid },
    ['Channel', 'Newname'],
  ],
  [
    'CoreShowChannel',
    {
      ...own,
      ActionID: 'ours-1',
      Application: 'Dial',
      ApplicationData: '300',
      Duration: '00:00:01',
      BridgeId: '',
    },
    ['CallerIDNum', 'ConnectedLineNum', 'Exten', 'ApplicationData'],
  ],
  [
    'Status',
    {
      ...own,
      Type: 'PJSIP',
      DNID: '300',
      Data: '300',
      Variable: 'CALLERID(ani)=+49305550002',
      ActionID: 'ours-1',
    },
    ['CallerIDNum', 'ConnectedLineNum', 'Exten', 'DNID', 'Data', 'Variable'],
  ],
];

const read = [
  'Channel',
  'ChannelState',
  'CallerIDNum',
  'Context',
  'Exten',
  'Priority',
  'Uniqueid',
  'Linkedid',
].concat([
  'DestUniqueid',
  'DialString',
  'Newname',
  'BridgeUniqueid',
  'BridgeTechnology',
  'Cause',
  'BridgeId',
  'ActionID',
]);

type Said = readonly [event: string, values: Readonly<Record<string, string | undefined>>];

/** What is handed on of a stream that comes in pieces of this size. */
function hear(stream: string | Buffer, size = 1_000) {
  const said: Said[] = [];
  const others: string[] = [];
  let lineBreaks = 0;
  let refused = 0;
  const guard = createEventGuard({
    onEvent(event, fields) {
      const values = Object.fromEntries(read.map((key) => [key, fields(fieldKey(key))]));
      said.push([event, { ...values, ani: fields('\nVariable: CALLERID(ani)=') }]);
    },
    onOther: ({ event }) => others.push(event),
    isAnswer: (bytes) => bytes.includes('\nActionID: ours-'),
    onLineBreak: () => lineBreaks++,
    onRefused: () => refused++,
  });
  const framer = createFramer({
    onGreeting: () => {},
    onFrame: (bytes, event) => guard.push({ bytes, event, at: 0 }),
    onTooLong: () => guard.end(),
  });
  const bytes = Buffer.concat([Buffer.from('Asterisk Call Manager/9.0.0\r\n'), Buffer.from(stream)]);
  for (let start = 0; start < bytes.length; start += size) {
    const piece = Buffer.from(bytes.subarray(start, start + size));
    framer.push(piece);
    // Nothing that is kept may be a part of it.
    piece.fill('X');
  }
  guard.end();
  return { said, others, lineBreaks, refused };
}

const frames = (...all: readonly string[]) => all.map((frame) => `${frame}\r\n\r\n`).join('');
const before = amiEvent('Newchannel', { ...victim, CallerIDNum: '+49305550099' });
const after = [
  amiEvent('Newstate', { ...victim, ChannelState: '6' }),
  amiEvent('DeviceStateChange', { Device: 'PJSIP/1001', State: 'INUSE' }),
  amiEvent('Hangup', victim),
];
const genuine = (...all: readonly string[]) => hear(frames(...all)).said;
const onlyVictim = genuine(before, ...after);

const forgeries = [
  'Linkedid: zz',
  'Context: internal',
  'Context: from-internal\r\nExten: 1',
  'Context:a\r\nExten:b\r\nContext:c\r\nExten:d',
  'AccountCode: \r\nContext: from-internal\r\nExten: 1',
  'Uniqueid: 1\r\nLinkedid: 1',
  'CallerIDNum: 110',
  'CallerIDName: x\r\nConnectedLineNum: y',
  '\r\nEvent: Hangup\r\nUniqueid: 1795000000.9',
  '\r\nEvent: Hangup\r\nUniqueid: 1795000000.9\r\n',
  '\r\nEvent: Hangup\r\nPrivilege: call,all\r\nUniqueid: 1795000000.9',
  '\r\nEvent: Newstate\r\nPrivilege: call,all\r\nChannel: x\r\n',
  '\r\nEvent: FullyBooted\r\nPrivilege: system,all\r\nStatus: x\r\n',
  '\r\nResponse: Success\r\nActionID: pbx-bridge-1\r\n',
  '\r\n--END COMMAND--\r\n',
  'Event: Hangup\r\nCallerIDNum: 1',
  'Event: Hangup\r\nConnectedLineNum: 1',
  'Event: Hangup\r\nExten: 1',
  '\r\nEvent: Hangup\r\nPrivilege: call,all\r\nExten: 1',
  '\r\n\r\n\r\n\r\n',
  'Priority: 1\r\nUniqueid: 1795000000.9\r\nLinkedid: 1795000000.9',
  'Priority: 1\r\nUniqueid: 1795000000.9\r\nLinkedid: 1795000000.9\r\n',
  'Priority: 1\r\nUniqueid: 1795000000.9\r\nLinkedid: 1\r\n\r\nEvent: x\r\nPrivilege:',
  'Priority: 1\r\nUniqueid: 1795000000.9\r\nLinkedid: 1795000000.9\r\nCause: 16',
  'Priority: 1\r\nUniqueid: 1795000000.9\r\n\r\nEvent: x\r\nPrivilege: cc,all',
  'DestPriority: 1\r\nDestUniqueid: 1795000000.9\r\nDestLinkedid: 1795000000.9',
  'DestUniqueid: 1795000000.9\r\nDestLinkedid: 1795000000.9\r\nDialString: 1',
  // The event's end, and the head of another one whose end is the event's own; or of one that ends at once.
  'Priority:\r\nUniqueid:1795000000.9\r\n\r\nEvent: Rename\r\nActionID: \r\nChannel:\r\nNewname:',
  'Priority:\r\nUniqueid:1795000000.9\r\nCause:\r\n\r\nEvent: X\r\nActionID: \r\n',
  'Priority:\r\nUniqueid:1795000000.9\r\n\r\nEvent: X\r\nActionID: \r\n\r\nEvent: \r\nPrivilege: ',
  'BridgeNumChannels: 0\r\nBridgeVideoSourceMode: none\r\n',
  'Uniqueid: 1795000000.9',
  'no colon',
];

/** The stream of a victim's call with an event between whose value a caller has chosen: what is handed on of either. */
function heard(attack: string, size: number) {
  const { said } = hear(frames(before, attack, ...after), size);
  const isVictims = ([, { Uniqueid }]: Said) => Uniqueid === victim.Uniqueid;
  return { victims: said.filter(isVictims), others: said.filter((each) => !isVictims(each)) };
}

const isName = (key: string) => key.endsWith('Channel') || key === 'Newname';
/**
 * In these a caller can only spoil what is said of the own channel: a name that goes on as an event, an answer's own id, a Status
 * that seems to end, and a transfer, which is refused: then it is not known who rings for that caller.
 */
const spoilsOwn = (key: string, text: string) =>
  (isName(key) && /Channel:/.test(text)) ||
  /^(OrigTransferer|SecondTransferer|Transferee)/.test(key) ||
  (key === 'Variable' && text.includes('ActionID')) ||
  /ConnectedLineNum: y$/.test(text) ||
  (/^(DNID|Data)$/.test(key) && /(Privilege|ActionID):/.test(text));

test('whatever a caller writes into a value, no other event changes, and the event has what Asterisk wrote', () => {
  for (const [event, values, chosen] of events)
    for (const key of chosen) {
      const start = values[key]?.slice(0, 3) ?? '';
      const plain = genuine(amiEvent(event, { ...values, [key]: start }));
      for (const forgery of forgeries)
        for (const lineEnd of ['\r\n', '\n', '\r']) {
          const text = `\r\n${forgery}`.replaceAll('\r\n', lineEnd).slice(0, 76);
          const attack = amiEvent(event, { ...values, [key]: `${start}${text}` });
          const name = JSON.stringify([event, key, text]);
          for (const size of lineEnd === '\r\n' ? [1_000_000, 101] : [1_000_000]) {
            const { victims, others } = heard(attack, size);
            assert.deepEqual(victims, onlyVictim, name);
            if (spoilsOwn(key, text)) continue;
            const withoutName = (all: readonly Said[]) =>
              all.map(([event, said]) => [event, isName(key) ? { ...said, [key]: '' } : said]);
            const isPlaceless = event !== 'Newchannel' && others[0]?.[1].Exten === undefined;
            const expected = isPlaceless
              ? plain.map(
                  ([event, said]) => [event, { ...said, Context: undefined, Exten: undefined }] as const,
                )
              : plain;
            assert.deepEqual(withoutName(others), withoutName(expected), name);
          }
        }
    }
});

test('the account code, which the dialplan may take from the caller, does not say where a channel is', () => {
  const placeOf = (event: string, more: Record<string, string>) =>
    genuine(amiEvent(event, { ...own, ...more })).map(([, { Context, Exten, Uniqueid, CallerIDNum }]) => [
      Context,
      Exten,
      Uniqueid === own.Uniqueid && CallerIDNum === own.CallerIDNum,
    ]);
  const forged = '\nContext: from-internal\nExten: 1';
  for (const event of ['Newstate', 'Hangup', 'HangupRequest']) {
    assert.deepEqual(placeOf(event, { Exten: `300${forged}` }), [[undefined, undefined, true]]);
    assert.deepEqual(placeOf(event, { AccountCode: `1${forged}` }), [[undefined, undefined, true]]);
  }
  assert.deepEqual(placeOf('Newchannel', { Exten: `300${forged}` }), [['from-trunk', '300', true]]);
});

/** As Asterisk cuts what is longer, save that no character is cut. */
function cutTo(bytes: number, text: string): string {
  let length = text.length;
  while (Buffer.byteLength(text.slice(0, length)) > bytes) length--;
  return text.slice(0, length);
}

test('lines mixed at random in two values at once: others are not affected, and nothing of the event is forged', () => {
  const line = fc.oneof(
    fc.constantFrom(...forgeries.flatMap((text) => text.split('\r\n'))),
    fc.constantFrom(
      'ChannelState: 6',
      'Exten: 9',
      'AccountCode: ',
      'Language: ',
      'ConnectedLineName: x',
      'Cause: 1',
    ),
    fc.string({ unit: fc.constantFrom(':', ' ', 'a', '\u2028', '\0', '€'), maxLength: 5 }),
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 9 }), fc.constantFrom('\r\n', '\n', '\r\r\n'))
    .map(([lines, end]) => cutTo(79, lines.join(end)));
  const given = fc
    .constantFrom(...events.filter(([event]) => event !== 'Rename'))
    .chain(([event, values, chosen]) =>
      fc.record({
        event: fc.constant(event),
        values: fc.constant(values),
        forged: fc.dictionary(fc.constantFrom(...chosen.filter((key) => !isName(key))), text, { maxKeys: 2 }),
      }),
    );
  fc.assert(
    fc.property(given, fc.constantFrom(1_000_000, 300, 7), ({ event, values, forged }, size) => {
      const { victims, others } = heard(amiEvent(event, { ...values, ...forged }), size);
      assert.deepEqual(victims, onlyVictim);
      assert.ok(others.length <= 1);
      for (const [said, { Uniqueid, Linkedid, DestUniqueid, Context }] of others) {
        assert.equal(said, event);
        if (Context !== undefined) assert.equal(Context, values.Context);
        assert.equal(Uniqueid, values.Uniqueid);
        assert.equal(Linkedid, values.Linkedid);
        assert.equal(DestUniqueid, values.DestUniqueid);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('an event is not believed with few lines, with lines twice, in another order, or unless Asterisk began it', () => {
  const whole = amiEvent('Hangup', victim);
  const lines = whole.split('\r\n');
  for (const bad of [
    'Event: Hangup\r\nUniqueid: 1795000000.9',
    'Event: Hangup\r\nPrivilege: call,all\r\nUniqueid: 1795000000.9\r\nCause: 16',
    'Event: BridgeDestroy\r\nPrivilege: call,all\r\nBridgeUniqueid: b',
    'Event: NewCallerid\r\nPrivilege: call,all\r\nUniqueid: 1795000000.9\r\nCID-CallingPres: 0',
    'Event: Rename\r\nUniqueid: 1795000000.9\r\nChannel: a\r\nNewname: b',
    whole.replace('Uniqueid: 1795000000.9', 'Uniqueid: 1\r\nUniqueid: 1795000000.9'),
    whole.replace('Privilege: call,all\r\n', ''),
    lines
      .with(2, lines[3] ?? '')
      .with(3, lines[2] ?? '')
      .join('\r\n'),
    ...lines.slice(2, 8).map((line) => lines.filter((each) => each !== line).join('\r\n')),
  ]) {
    const { said, refused } = hear(frames(bad, ...after));
    assert.deepEqual([said, refused], [onlyVictim.slice(1), 1], bad);
  }
});

test('what some versions and settings add or leave out does not matter', () => {
  const lines = (text: string) => genuine(text)[0]?.[1];
  const hangup = amiEvent('Hangup', victim);
  const extra =
    'Timestamp: 1795000000.1\r\nSequenceNumber: 7\r\nFile: channel.c\r\nLine: 1\r\nFunc: x\r\nSystemName: pbx';
  for (const text of [
    hangup.replace('\r\nChannel:', `\r\n${extra}\r\nChannel:`),
    hangup.replace('\r\nCause:', '\r\nChanVariable: a=b\r\nChanVariable(c): d\r\nTenantID: x\r\nCause:'),
    hangup.replace('\r\nContext:', '\r\nSomethingNew: x\r\nContext:'),
    `${hangup}\r\nCause-txt: Normal Clearing\r\nTechCause: 200`,
    hangup.replace('Language: en\r\n', ''),
    hangup.replaceAll('\r\n', '\n'),
  ])
    assert.deepEqual(lines(text), lines(hangup), text);
  const old = hangup.replace('Language: en\r\n', '').replace('\r\nLinkedid: 1795000000.9', '');
  assert.deepEqual(lines(old), { ...lines(hangup), Linkedid: undefined });
});

test('an event that ends too early for nothing costs itself alone, and answers do not wait behind it', () => {
  const begun = amiEvent('Newchannel', own).split('\r\n').slice(0, 6).join('\r\n');
  const answer = 'Response: Success\r\nActionID: ours-7\r\nPing: Pong';
  const { said, others, refused } = hear(
    frames(begun, 'Event: Cdr\r\nPrivilege: cdr,all', answer, before, ...after),
  );
  assert.deepEqual([said, refused], [onlyVictim, 1]);
  assert.deepEqual(others, ['Cdr', '', 'DeviceStateChange']);
  // What comes behind it is whole in itself, or is an event that the bridge does not read.
  assert.deepEqual(hear(frames(begun, before, ...after)).said, onlyVictim);
  const unread = before.replace('Newchannel', 'NewConnectedLine');
  assert.deepEqual(hear(frames(begun, unread, before, ...after)).said, onlyVictim);
  // The head of one event and the tail of another: bytes between them were lost.
  const torn = `${begun}\r\n${amiEvent('Hangup', victim).split('\r\n').slice(9).join('\r\n')}`;
  assert.deepEqual(hear(frames(torn, before, ...after)).said, onlyVictim);
});

test('a text in an event that the bridge does not read is not handed on, with one event in it or with two', () => {
  const rename = `Event: Rename\r\nActionID: \r\nChannel:\r\nNewname:x\r\nUniqueid:${victim.Uniqueid}`;
  const ends = `Event: BridgeDestroy\r\nActionID: \r\nBridgeUniqueid:1\r\nBridgeType:\r\nBridgeTechnology:\r\nBridgeNumChannels:`;
  const next = '\r\n\r\nEvent: X\r\nPrivilege: ';
  const texts = [rename, `${rename}\r\n\r\n`, `${rename}${next}`, `${ends}${next}`];
  for (const event of ['NewConnectedLine', 'DialEnd'])
    for (const key of ['CallerIDNum', 'ConnectedLineNum', 'Exten', 'DestCallerIDNum', 'DestConnectedLineNum'])
      for (const text of texts) {
        const values = { ...dialled, [key]: `1\r\n\r\n${text}`, CallerIDName: 'x', DestCallerIDName: 'x' };
        const attack = amiEvent('DialBegin', values).replace('DialBegin', event);
        const { victims, others } = heard(attack, 1_000_000);
        const own = others.filter(([said]) => said !== 'Rename');
        assert.deepEqual([victims, own], [onlyVictim, []], JSON.stringify([event, key, text]));
      }
});

test('a whole event of another call in a number of 255 bytes, as IAX2 lets through, ends no call', () => {
  const keys =
    'ChannelState ChannelStateDesc CallerIDNum CallerIDName ConnectedLineNum ConnectedLineName'.split(' ');
  const lines = [...keys, 'Context', 'Exten', 'Priority'].map((key) => `${key}:`).join('\r\n');
  const hangup = `Event: Hangup\r\nActionID: \r\nChannel:\r\n${lines}\r\nUniqueid:${victim.Uniqueid}\r\nCause:`;
  for (const event of ['Newchannel', 'Newstate', 'NewConnectedLine']) {
    const number = `1\r\n\r\n${hangup}\r\n\r\nEvent: X\r\nPrivilege: `;
    const attack = amiEvent('Newchannel', { ...own, CallerIDNum: number }).replace('Newchannel', event);
    assert.deepEqual(heard(attack, 1_000_000).victims, onlyVictim, event);
  }
});

/** What stands between the value of a key and the end of the event, or between its beginning and that value. */
const linesOf = (event: string, values: Record<string, string>, key: string) => {
  const lines = amiEvent(event, values).split('\r\n');
  const nth = lines.findIndex((line) => line.startsWith(`${key}:`));
  const bare = (line: string) => line.replace(/:.*/s, ':');
  const isOptional = (line: string) => /^(Language|AccountCode|Linkedid|Cause-txt):/.test(line);
  const short = (part: readonly string[]) => part.filter((line) => !isOptional(line)).map(bare);
  return { head: short(lines.slice(2, nth + 1)), tail: short(lines.slice(nth + 1)) };
};

test('no mixture of ends, heads and whole events of other kinds in a value is believed, however long it may be', () => {
  const channelEvents = events.filter(([, values]) => values.Exten !== undefined && !values.ActionID);
  const kinds = fc.constantFrom(...channelEvents.map(([event]) => event), 'Rename', 'BridgeDestroy', 'X');
  const begun = fc.record({
    kind: kinds,
    by: fc.constantFrom('Privilege: ', 'ActionID: '),
    upTo: fc.constantFrom('Exten', 'CallerIDNum', 'Newname', 'BridgeName', ''),
  });
  const attacks = fc.record({
    of: fc.constantFrom(...channelEvents),
    key: fc.constantFrom('CallerIDNum', 'ConnectedLineNum', 'Exten'),
    ends: fc.boolean(),
    others: fc.array(begun, { maxLength: 3 }),
    last: fc.constantFrom('', '\n', '\n\n'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    size: fc.constantFrom(1_000_000, 300),
  });
  const valuesOf = (event: string) => events.find(([name]) => name === event)?.[1] ?? {};
  fc.assert(
    fc.property(attacks, ({ of: [event, values], key, ends, others, last, lineEnd, size }) => {
      const tail = linesOf(event, values, key).tail.map((line) =>
        line === 'Uniqueid:' ? `Uniqueid:${victim.Uniqueid}` : line,
      );
      const heads = others.flatMap(({ kind, by, upTo }) => [
        '',
        `Event: ${kind}`,
        by,
        ...(upTo === '' ? [] : linesOf(kind, valuesOf(kind), upTo).head),
      ]);
      const longest = key === 'Exten' ? 79 : 255;
      const text = ['9', ...(ends ? tail : []), ...heads].join('\n') + last;
      const forged = text.replaceAll('\n', lineEnd);
      fc.pre(forged.length <= longest);
      const { victims, others: heardToo } = heard(amiEvent(event, { ...values, [key]: forged }), size);
      assert.deepEqual(victims, onlyVictim);
      for (const [, { Uniqueid = own.Uniqueid }] of heardToo) assert.equal(Uniqueid, own.Uniqueid);
    }),
    { numRuns: 3_000 },
  );
});

test('an event whose value has a line break is counted as such, and its number ends there', () => {
  const numbers = (text: string) =>
    hear(frames(amiEvent('Newchannel', { ...own, CallerIDNum: text }), before));
  for (const lineBreak of ['\r\n', '\n', '\r', '\r\n\r\n', '\u2028', '\u0085', '\0', '\x1b'])
    assert.equal(
      numbers(`+4930${lineBreak}Linkedid: 1`).said[0]?.[1].CallerIDNum,
      '+4930',
      JSON.stringify(lineBreak),
    );
  assert.equal(numbers('\r\n\r\nEvent: x').said[0]?.[1].CallerIDNum, '');
  const { lineBreaks, refused } = numbers('+4930\r\n\r\nLinkedid: 1');
  assert.deepEqual([lineBreaks, refused], [1, 0]);
});

test('a variable that is there twice has no value, and an answer in another order is taken if no line is', () => {
  const aniOf = (...more: readonly string[]) => {
    const [event, values] = events.at(-1) ?? ['', {}];
    return genuine([amiEvent(event, values), ...more].join('\r\n'))[0]?.[1].ani;
  };
  assert.equal(aniOf(), '+49305550002');
  const said = genuine(
    amiEvent('Status', { ...own, Variable: 'CALLERID(ani)=1\r\nVariable: CALLERID(ani)=2' }),
  );
  assert.equal(said[0]?.[1].ani, undefined);
  const answer = 'Event: CoreShowChannel\r\nActionID: ours-1\r\nUniqueid: 1.1\r\nChannel: a\r\nVariable: a=b';
  const both = (text: string) => {
    const { others, refused } = hear(frames(text));
    return [others, refused];
  };
  assert.deepEqual(both(`${answer}\r\nVariable: c=d`), [['CoreShowChannel'], 0]);
  assert.deepEqual(both(`${answer}\r\nUniqueid: 1.2`), [[], 1]);
});
