import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import { amiEvent } from '../fakes/ami-event.ts';

/** A made-up call of an office: Asterisk's events, and what the bridge must report. */
export type SimulatedCall = {
  readonly scenario: ScenarioName;
  /** Frames without their blank lines, with their time in ms after the call began. */
  readonly frames: readonly { readonly ms: number; readonly frame: string }[];
  readonly reported: readonly CallStatus[];
};

export const scenarioNames = [
  'answered',
  'missed',
  'busy',
  'queue',
  'transfer',
  'withheld',
  'outgoing',
  'internal',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

type CallOptions = {
  /** The second in which the call begins, Unix time: what its Uniqueid begins with. */
  readonly second: number;
  /** No two calls have the same. */
  readonly index: number;
  /** From 0 up to, not including, 1. */
  random(): number;
  /** How long people talk, on average, ms; below 30 s, ringing and waiting are shorter too. */
  readonly talkMs: number;
  /** The number outside; one of a block that is kept for examples when absent. */
  readonly outside?: string | undefined;
  /** Extensions that take and make calls; 1001 to 1020 when absent. */
  readonly extensions?: readonly string[] | undefined;
};

type Leg = { readonly uniqueid: string; readonly channel: string; readonly number: string };

/** One call of this scenario, in the order and fields of Asterisk 22 (read class call). */
export function simulateCall(scenario: ScenarioName, options: CallOptions): SimulatedCall {
  const script = createScript(options);
  const reported = scenarios[scenario](script, options);
  return { scenario, frames: script.frames, reported };
}

type Script = ReturnType<typeof createScript>;

function createScript({ second, index, random, talkMs }: CallOptions) {
  const pace = Math.min(1, talkMs / 30_000);
  const frames: { ms: number; frame: string }[] = [];
  const linkedid = `${second}.${index * 8}`;
  const hex = (leg: number) => (index * 8 + leg).toString(16).padStart(8, '0').slice(-8);
  let now = 0;
  let legs = 0;

  const put = (event: string, fields: Readonly<Record<string, string>>) => {
    frames.push({ ms: Math.round(now), frame: amiEvent(event, fields) });
  };
  const channelFields = ({ uniqueid, channel, number }: Leg, state: number, context: string) => ({
    Channel: channel,
    ChannelState: String(state),
    CallerIDNum: number === '' ? '<unknown>' : number,
    CallerIDName: '<unknown>',
    Context: context,
    Exten: 's',
    Uniqueid: uniqueid,
    Linkedid: linkedid,
  });

  return {
    frames,
    wait(ms: number) {
      now += ms;
    },
    /** Rings or waits about this long, at random. */
    waitAbout(ms: number) {
      now += ms * pace * (0.5 + random());
    },
    talk(ms: number) {
      now += ms * (0.5 + random());
    },
    leg(endpoint: string, number: string, state: number, context: string, end = ''): Leg {
      const leg = legs++;
      const uniqueid = `${second}.${index * 8 + leg}`;
      const made = { uniqueid, channel: `${endpoint}-${hex(end === ';2' ? leg - 1 : leg)}${end}`, number };
      put('Newchannel', channelFields(made, state, context));
      return made;
    },
    state: (leg: Leg, state: number) => put('Newstate', channelFields(leg, state, 'from-internal')),
    dial: (leg: Leg, what: string) =>
      put('DialBegin', { DestChannel: leg.channel, DestUniqueid: leg.uniqueid, DialString: what }),
    enter: (leg: Leg, bridge: string) =>
      put('BridgeEnter', {
        BridgeUniqueid: `${bridge}-${linkedid}`,
        BridgeTechnology: 'simple_bridge',
        ...channelFields(leg, 6, 'from-internal'),
      }),
    /** All leave it, and it is gone. */
    leave(bridge: string, ...all: readonly Leg[]) {
      const BridgeUniqueid = `${bridge}-${linkedid}`;
      for (const leg of all)
        put('BridgeLeave', { BridgeUniqueid, ...channelFields(leg, 6, 'from-internal') });
      put('BridgeDestroy', { BridgeUniqueid, BridgeTechnology: 'simple_bridge' });
    },
    hangup: (leg: Leg, cause: number) =>
      put('Hangup', { ...channelFields(leg, 6, 'from-internal'), Cause: String(cause) }),
  };
}

const missed = ['ringing', 'completed'] as const;
const answered = ['ringing', 'answered', 'completed'] as const;

const scenarios: Readonly<
  Record<ScenarioName, (script: Script, options: CallOptions) => readonly CallStatus[]>
> = {
  answered(it, options) {
    const caller = callIn(it, options);
    const phone = ringPhone(it, options);
    connect(it, options, caller, phone);
    return answered;
  },
  missed(it, options) {
    const caller = callIn(it, options);
    const phone = ringPhone(it, options);
    it.waitAbout(15_000);
    it.hangup(phone, 16);
    it.hangup(caller, 0);
    return missed;
  },
  busy(it, options) {
    const caller = callIn(it, options);
    const phone = ringPhone(it, options);
    it.wait(50);
    it.hangup(phone, 17);
    it.hangup(caller, 17);
    return missed;
  },
  queue(it, options) {
    const caller = callIn(it, options);
    it.state(caller, 6);
    it.waitAbout(8_000);
    const local = `Local/${extension(options)}@from-queue`;
    const one = it.leg(local, '', 0, 'from-queue', ';1');
    const two = it.leg(local, '', 4, 'from-queue', ';2');
    const phone = ringPhone(it, options);
    it.waitAbout(4_000);
    it.state(phone, 6);
    for (const leg of [phone, two]) it.enter(leg, 'far');
    for (const leg of [one, caller]) it.enter(leg, 'near');
    it.talk(options.talkMs);
    it.leave('near', caller, one);
    it.leave('far', two, phone);
    for (const leg of [caller, one, two, phone]) it.hangup(leg, 16);
    return answered;
  },
  transfer(it, options) {
    const caller = callIn(it, options);
    const first = ringPhone(it, options);
    it.waitAbout(4_000);
    it.state(first, 6);
    for (const leg of [first, caller]) it.enter(leg, 'first');
    it.talk(options.talkMs / 2);
    it.leave('first', first, caller);
    it.hangup(first, 16);
    connect(it, options, caller, ringPhone(it, options));
    return answered;
  },
  withheld(it, options) {
    const caller = it.leg('PJSIP/trunk', 'anonymous', 4, 'from-trunk');
    connect(it, options, caller, ringPhone(it, options));
    return [];
  },
  outgoing(it, options) {
    const phone = it.leg(`PJSIP/${extension(options)}`, extension(options), 4, 'from-internal');
    const line = it.leg('PJSIP/trunk', outside(options), 0, 'from-trunk');
    it.dial(line, `${outside(options)}@trunk`);
    it.state(line, 5);
    connect(it, options, phone, line);
    return [];
  },
  internal(it, options) {
    const phone = it.leg(`PJSIP/${extension(options)}`, extension(options), 4, 'from-internal');
    connect(it, options, phone, ringPhone(it, options));
    return [];
  },
};

function callIn(it: Script, options: CallOptions): Leg {
  const caller = it.leg('PJSIP/trunk', outside(options), 4, 'from-trunk');
  it.wait(20);
  return caller;
}

function ringPhone(it: Script, options: CallOptions): Leg {
  const number = extension(options);
  const phone = it.leg(`PJSIP/${number}`, number, 0, 'from-internal');
  it.dial(phone, number);
  it.state(phone, 5);
  return phone;
}

/** The phone is picked up; they talk; the caller hangs up. */
function connect(it: Script, options: CallOptions, caller: Leg, phone: Leg): void {
  it.waitAbout(5_000);
  it.state(phone, 6);
  it.enter(phone, 'talk');
  it.state(caller, 6);
  it.enter(caller, 'talk');
  it.talk(options.talkMs);
  it.leave('talk', caller, phone);
  it.hangup(phone, 16);
  it.hangup(caller, 16);
}

function extension({ random, extensions }: CallOptions): string {
  const pick = Math.floor(random() * (extensions?.length ?? 20));
  return extensions?.[pick] ?? String(1001 + pick);
}

/** Of the block that is kept for films and examples (Bundesnetzagentur: 030 23125 000 to 999). */
function outside({ index, outside: number }: CallOptions): string {
  return number ?? `+493023125${String(index % 1_000).padStart(3, '0')}`;
}
