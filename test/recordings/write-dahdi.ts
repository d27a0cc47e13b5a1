/**
 * Writes the recordings in `chan-dahdi`: `node test/recordings/write-dahdi.ts`. There is no DAHDI hardware in the lab, so
 * they were not recorded: their events and records have the forms that Asterisk documents, in the order in which
 * chan_dahdi sends them (chan_dahdi.c, sig_analog.c, the R2 callbacks), with the names of channels that it uses again.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { formatRecordedFrame, formatRecordingHeader } from '../../src/ami/recording/recording.ts';

const startedAt = Date.UTC(2026, 10, 20, 9);
const customer = '+494066969150';
const withheld = { WITHHELD_NUMBER: '+493023125000' };

type Fields = Readonly<Record<string, string>>;
type Channel = {
  name: string;
  uniqueid: string;
  linkedid: string;
  state: number;
  number: string;
  context: string;
  exten: string;
};
type ReportedEvent = { uniqueid: string; from: string; answeredBy?: string };

const stateNames: Readonly<Record<number, string>> = { 0: 'Down', 4: 'Ring', 5: 'Ringing', 6: 'Up' };

function createScript(row: string) {
  const lines: string[] = [];
  const records: string[] = [];
  let ms = 0;
  let channels = 0;
  let bridges = 0;

  const fieldsOf = (channel: Channel, prefix = ''): Fields =>
    Object.fromEntries(
      Object.entries({
        Channel: channel.name,
        ChannelState: `${channel.state}`,
        ChannelStateDesc: stateNames[channel.state] ?? '',
        CallerIDNum: channel.number || '<unknown>',
        CallerIDName: '<unknown>',
        ConnectedLineNum: '<unknown>',
        ConnectedLineName: '<unknown>',
        Language: 'en',
        AccountCode: '',
        Context: channel.context,
        Exten: channel.exten,
        Priority: '1',
        Uniqueid: channel.uniqueid,
        Linkedid: channel.linkedid,
      }).map(([key, value]) => [prefix + key, value]),
    );
  const put = (event: string, fields: Fields) => {
    const all = Object.entries({ Event: event, Privilege: 'call,all', ...fields });
    const frame = Buffer.from(all.map(([key, value]) => `${key}: ${value}`).join('\r\n'));
    lines.push(formatRecordedFrame({ ms, frame }));
  };
  const time = (at: number) => new Date(startedAt + at).toISOString().slice(0, 19).replace('T', ' ');

  const script = {
    wait(more: number) {
      ms += more;
    },
    now: () => ms,
    begin(of: Omit<Channel, 'uniqueid' | 'linkedid'>, caller?: Channel): Channel {
      const uniqueid = `${Math.floor((startedAt + ms) / 1000)}.${channels++}`;
      const channel = { ...of, uniqueid, linkedid: caller?.uniqueid ?? uniqueid };
      put('Newchannel', fieldsOf(channel));
      const [, line] = /^DAHDI\/(\d+)-/.exec(channel.name) ?? [];
      if (line) put('DAHDIChannel', { ...fieldsOf(channel), DAHDISpan: '1', DAHDIChannel: line });
      return channel;
    },
    /** What the line presents once it has sent its caller id: the number, or nothing. */
    callerId(channel: Channel, number: string) {
      channel.number = number;
      put('NewCallerid', {
        ...fieldsOf(channel),
        'CID-CallingPres': '0 (Presentation Allowed, Not Screened)',
      });
      put('Newstate', fieldsOf(channel));
    },
    state(channel: Channel, state: number) {
      channel.state = state;
      put('Newstate', fieldsOf(channel));
    },
    dial: (from: Channel, to: Channel, dialString: string) =>
      put('DialBegin', { ...fieldsOf(from), ...fieldsOf(to, 'Dest'), DialString: dialString }),
    dialEnd: (from: Channel, to: Channel, status: string) =>
      put('DialEnd', { ...fieldsOf(from), ...fieldsOf(to, 'Dest'), DialStatus: status }),
    talk(some: readonly Channel[], during: number) {
      const bridge = {
        BridgeUniqueid: `bridge-${bridges++}`,
        BridgeType: 'basic',
        BridgeTechnology: 'simple_bridge',
      };
      put('BridgeCreate', { ...bridge, BridgeNumChannels: '0' });
      for (const [i, channel] of some.entries())
        put('BridgeEnter', { ...bridge, BridgeNumChannels: `${i + 1}`, ...fieldsOf(channel) });
      ms += during;
      for (const [i, channel] of some.entries())
        put('BridgeLeave', { ...bridge, BridgeNumChannels: `${some.length - 1 - i}`, ...fieldsOf(channel) });
      put('BridgeDestroy', { ...bridge, BridgeNumChannels: '0' });
    },
    hangUp: (channel: Channel) =>
      put('Hangup', { ...fieldsOf(channel), Cause: '16', 'Cause-txt': 'Normal Clearing' }),
    /** A line of Master.csv. `began` and `answered` are ms. */
    record(channel: Channel, other: Channel | undefined, dialled: string, began: number, answered?: number) {
      const times = [time(began), answered === undefined ? '' : time(answered), time(ms)];
      const quoted = [
        channel.number,
        channel.exten,
        channel.context,
        `"" <${channel.number}>`,
        channel.name,
        other?.name ?? '',
        'Dial',
        dialled,
        ...times,
      ];
      const seconds = [
        Math.round((ms - began) / 1000),
        answered === undefined ? 0 : Math.round((ms - answered) / 1000),
      ];
      const last = [answered === undefined ? 'NO ANSWER' : 'ANSWERED', 'DOCUMENTATION', channel.uniqueid, ''];
      const text = (value: string) => (value === '' ? '' : `"${value.replaceAll('"', '""')}"`);
      records.push(['""', ...quoted.map(text), ...seconds, ...last.map((value) => `"${value}"`)].join(','));
    },
    save(reported: readonly ReportedEvent[], settings?: Fields) {
      const dir = new URL(`chan-dahdi/${row}/`, import.meta.url);
      const calls = reported.map(({ uniqueid, from, answeredBy: caller_id }) => ({
        uniqueid,
        from,
        reported:
          caller_id === undefined
            ? [{ status: 'ringing' }, { status: 'completed' }]
            : [{ status: 'ringing' }, { status: 'answered', caller_id }, { status: 'completed', caller_id }],
      }));
      const header = {
        asterisk: '18.0.0',
        row: `${row}: written after documented forms, not recorded`,
        startedAt,
      };
      mkdirSync(dir, { recursive: true });
      writeFileSync(
        new URL('ami.jsonl', dir),
        formatRecordingHeader({ ...header, channels: [], bridges: [] }) + lines.join(''),
      );
      writeFileSync(
        new URL('expected.json', dir),
        `${JSON.stringify({ calls, ...(settings && { settings }) }, null, 2)}\n`,
      );
      writeFileSync(new URL('cdr.csv', dir), records.map((line) => `${line}\n`).join(''));
    },
  };
  return script;
}

type Script = ReturnType<typeof createScript>;

/** The caller's channel rings at phone 1001, which answers unless `missed`. */
function ringsAt1001(script: Script, caller: Channel, began: number, { missed = false } = {}): void {
  const phone = script.begin(
    {
      name: `PJSIP/1001-${caller.uniqueid.replace(/.*\./, '').padStart(8, '0')}`,
      state: 0,
      number: '1001',
      context: 'from-internal',
      exten: 's',
    },
    caller,
  );
  script.dial(caller, phone, '1001');
  script.state(phone, 5);
  script.wait(2_000);
  const answered = missed ? undefined : script.now();
  if (!missed) {
    script.state(phone, 6);
    script.dialEnd(caller, phone, 'ANSWER');
    script.state(caller, 6);
    script.talk([phone, caller], 3_000);
  }
  script.hangUp(phone);
  if (missed) script.dialEnd(caller, phone, 'CANCEL');
  script.hangUp(caller);
  script.record(caller, phone, 'PJSIP/1001,20', began, answered);
  script.wait(1_000);
}

/**
 * An analogue line rings. Its caller id comes between the first and the second ring: Newchannel has no number, and the
 * dialplan starts after it.
 */
function analogueCall(
  script: Script,
  number: string,
  after: number,
  options?: { missed?: boolean },
): Channel {
  const began = script.now();
  const line = script.begin({ name: 'DAHDI/4-1', state: 4, number: '', context: 'from-analog', exten: 's' });
  script.wait(after);
  if (number !== '') script.callerId(line, number);
  ringsAt1001(script, line, began, options);
  return line;
}

for (const [row, settings] of [
  ['fxo-number-late', undefined],
  ['fxo-number-late-number-set', withheld],
] as const) {
  const script = createScript(row);
  const line = analogueCall(script, customer, 2_800);
  script.save([{ uniqueid: line.uniqueid, from: customer, answeredBy: '1001' }], settings);
}

{
  const script = createScript('fxo-number-never');
  analogueCall(script, '', 5_000);
  script.save([]);
}

{
  const script = createScript('fxo-number-never-number-set');
  const line = analogueCall(script, '', 5_000);
  script.save([{ uniqueid: line.uniqueid, from: withheld.WITHHELD_NUMBER, answeredBy: '1001' }], withheld);
}

{
  const script = createScript('fxo-same-line-again');
  const first = analogueCall(script, customer, 2_200, { missed: true });
  const second = analogueCall(script, '04066969151', 3_500);
  script.save([
    { uniqueid: first.uniqueid, from: customer },
    { uniqueid: second.uniqueid, from: '+494066969151', answeredBy: '1001' },
  ]);
}

{
  // An R2 line has one name for all of its calls: what came in must not be taken for what went out on it before.
  const script = createScript('r2-same-line-out-then-in');
  const began = script.now();
  const phone = script.begin({
    name: 'PJSIP/1002-00000001',
    state: 4,
    number: '1002',
    context: 'from-internal',
    exten: '04066969160',
  });
  const out = script.begin(
    { name: 'DAHDI/1-1', state: 0, number: '', context: 'from-digital', exten: '' },
    phone,
  );
  script.dial(phone, out, 'g1/04066969160');
  script.state(out, 5);
  script.wait(1_500);
  const answered = script.now();
  script.state(out, 6);
  script.dialEnd(phone, out, 'ANSWER');
  script.state(phone, 6);
  script.talk([out, phone], 2_000);
  script.hangUp(out);
  script.hangUp(phone);
  script.record(phone, out, 'DAHDI/g1/04066969160,60', began, answered);
  script.wait(2_000);
  const calls = [false, true].map((missed) => {
    const begins = script.now();
    const line = script.begin({
      name: 'DAHDI/1-1',
      state: 4,
      number: '04066969161',
      context: 'from-digital',
      exten: '493023125161',
    });
    ringsAt1001(script, line, begins, { missed });
    return { uniqueid: line.uniqueid, from: '+494066969161', ...(missed ? {} : { answeredBy: '1001' }) };
  });
  script.save(calls);
}
