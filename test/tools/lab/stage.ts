import { setTimeout as sleep } from 'node:timers/promises';
import type { Ami } from './ami.ts';
import type { Pbx } from './asterisk.ts';
import type { Board, BoardChannel } from './board.ts';
import { managerUsers } from './config.ts';
import { didOf } from './dialplan.ts';
import { mobileDialString, mobileNumber } from './office-numbers.ts';
import { callerPort, mobilePort, type Office, phonePort } from './offices.ts';
import { customerOf, type Row } from './row.ts';
import { calls, type Invitation, type Script } from './sip-script.ts';
import { type SipEnd, startSipp, tellSipp } from './sipp.ts';

/** A call that somebody placed, from the outside or from a phone. */
export type Placed = {
  /** Hangs up, or gives up while it rings. */
  hangsUp(): void;
  readonly channel: BoardChannel;
  readonly end: SipEnd;
};

/** Who takes part: the office's nth phone, its mobile, or the one who placed a call. */
type Party = number | 'mobile' | Placed;

/** What can be done in a row, in telephone words. Each word is done when Asterisk says that it happened. */
export type Stage = {
  readonly office: Office;
  /** Somebody calls the office from the outside. */
  customerCalls(call?: Partial<Invitation> & { first?: Script; chanSip?: boolean }): Promise<Placed>;
  /** The office's nth phone dials. */
  phoneDials(nth: number, number: string): Promise<Placed>;
  /** The phone dials this to take the call, and has it. One at a time on a machine (see `pickups`). */
  picksUp(nth: number, number: string, call: Placed): Promise<void>;
  rings(party: Party): Promise<void>;
  /** The two are connected and talk for a moment. */
  talk(one: Party, other: Party): Promise<void>;
  /** The party is in a bridge alone or waiting in an application: its line is up. */
  isUp(party: Party): Promise<void>;
  /** The call is in this application of the dialplan. */
  reaches(call: Placed, application: string): Promise<void>;
  pause(ms: number): Promise<void>;
  /** The party puts the receiver down. */
  hangsUp(party: Party): Promise<void>;
  /** The phone itself hands its caller on (SIP REFER): to a number, or to whom it reached by another call. */
  refers(party: Party, to: string | Placed): Promise<void>;
  /** The phone hands one of its two callers on to the other (SIP REFER with Replaces), and is out of it. */
  joinsCallers(one: Placed, other: Placed): Promise<void>;
  /** A switchboard program connects two parties (AMI Bridge): who talked with them is left behind. */
  connects(one: Party, other: Party): Promise<void>;
  /** Somebody else at the far end takes the party's place in the call (INVITE with Replaces), showing this number. */
  isReplaced(party: Placed | 'mobile', from: string): Promise<Placed>;
  transfersBlind(nth: number, to: string): Promise<void>;
  /** Puts the other end on hold and calls `to`; ends by hanging up or by `presses`. */
  transfersAttended(nth: number, to: string): Promise<void>;
  presses(party: Party, keys: string): Promise<void>;
  parks(nth: number): Promise<void>;
  /** The call is parked; gives the number to fetch it at. */
  isParked(call: Placed): Promise<string>;
  /** A switchboard program moves the party, and perhaps another, to a number. */
  redirects(party: Party, to: string, together?: Party): Promise<void>;
  originates(fields: Readonly<Record<string, string>>): Promise<void>;
  /** A program (ARI) calls the phone for the caller, and sends it to this number. */
  invites(nth: number, call: Placed, to: string): Promise<void>;
  extension(nth: number): string;
  /** The mobile's number. */
  readonly mobile: string;
  /** The same as Dial and Originate take it. */
  readonly mobileOverTrunk: string;
  /** All channels of the office are gone. */
  isOver(): Promise<void>;
};

export type Play = {
  /** The channels of the customers, in the order in which they came in. */
  readonly inbound: readonly BoardChannel[];
  /** Uniqueids of every channel of the office during the row. */
  readonly channels: ReadonlySet<string>;
};

/**
 * The pickups so far. Two at once, one by an application of the dialplan, one by the pickup code, can lock up Asterisk
 * 22.10: it answers no SIP any more (https://github.com/asterisk/asterisk/issues/2036 is of the same kind).
 */
let pickups: Promise<unknown> = Promise.resolve();

/** Plays a row in an office. Throws if what should happen on the telephone did not. */
export async function playRow(options: {
  readonly row: Row;
  readonly index: number;
  readonly office: Office;
  readonly pbx: Pbx;
  readonly board: Board;
  readonly driver: Ami;
  readonly tech: 'PJSIP' | 'SIP';
}): Promise<Play> {
  const { row, index, office, pbx, board, driver, tech } = options;
  const ends: SipEnd[] = [];
  const before = new Set(board.channels.keys());
  const did = didOf(index, office.number);
  const mobile = mobileNumber(office);
  const ours = () =>
    [...board.channels.values()].filter((c) => !before.has(c.uniqueid) && isOf(office, c, board));
  const inbound = () => ours().filter((c) => c.exten === did && c.uniqueid === c.firstLinkedid);
  let callers = 0;

  async function place(
    invitation: Invitation,
    first: Script,
    sipPort: number,
    appears: () => BoardChannel[],
  ) {
    const known = new Set(appears());
    const port = callerPort(pbx.ports, office, callers++);
    const end = await startSipp({ script: calls(invitation, first), port, calls: sipPort, mobile });
    ends.push(end);
    const channel = await board.until(`the call to ${invitation.to} comes in`, () =>
      appears().find((each) => !known.has(each)),
    );
    return { channel, end, hangsUp: () => tellSipp(end, 'hangUp') };
  }

  function channelOf(party: Party): BoardChannel | undefined {
    if (typeof party === 'object') return party.channel;
    const isIts = (channel: BoardChannel) =>
      party === 'mobile'
        ? !channel.name.startsWith('Local/') && isDialledMobile(channel.dialled)
        : channel.name.startsWith(`${tech}/${office.extension(party)}-`);
    const its = ours().filter((channel) => !channel.gone && isIts(channel));
    // A phone may have placed a second call: what was called comes first, as a placed call has its own name.
    return its.findLast(({ dialled }) => dialled !== '') ?? its.at(-1);
  }

  /** `PJSIP/trunk/sip:NUMBER@host`, `NUMBER@trunk`, `trunk/NUMBER`. */
  const isDialledMobile = (dialled: string) => dialled.split(/[:/@]/).includes(mobile);

  const nameOf = (party: Party) => (typeof party === 'object' ? party.channel.name : `${party}`);
  const live = async (party: Party) => board.until(`${nameOf(party)} has a call`, () => channelOf(party));

  const variable = async (name: string, of: BoardChannel) =>
    (await driver.action('GetVar', { Channel: of.name, Variable: name })).fields.Value ?? '';

  /** The party's own SIP call, as its sipp knows it. */
  async function sipCallOf(party: Party): Promise<{ port: number; callId: string }> {
    if (typeof party === 'object') return party.end;
    const port = party === 'mobile' ? mobilePort(pbx.ports, office) : phonePort(pbx.ports, office, party);
    const name = tech === 'SIP' ? 'SIPCALLID' : 'CHANNEL(pjsip,call-id)';
    return { port, callId: await variable(name, await live(party)) };
  }

  /** The value of Replaces: take the place of this call of mine (RFC 3891). */
  async function replaces(channel: BoardChannel): Promise<string> {
    const callId = await variable('CHANNEL(pjsip,call-id)', channel);
    const theirs = await variable('CHANNEL(pjsip,local_tag)', channel);
    const ours = await variable('CHANNEL(pjsip,remote_tag)', channel);
    return `${callId};to-tag=${theirs};from-tag=${ours}`;
  }

  function otherEndOf({ channel }: Placed): BoardChannel {
    const [other] = board.connected(channel);
    if (!other) throw new Error(`${channel.name} talks with no channel`);
    return other;
  }

  const stage: Stage = {
    office,
    mobile,
    mobileOverTrunk: mobileDialString(pbx.ports, office),
    extension: office.extension,
    customerCalls({ first = [], chanSip = tech === 'SIP', ...invitation } = {}) {
      const whole = { to: did, from: customerOf(index, office), headers: [], ...invitation };
      const headers = ['X-Trunk: yes', ...whole.headers];
      return place({ ...whole, headers }, first, chanSip ? pbx.ports.chanSip : pbx.ports.sip, inbound);
    },
    phoneDials(nth, number) {
      const from = office.extension(nth);
      const appears = () => ours().filter((c) => c.name.startsWith(`${tech}/${from}-`) && c.dialled === '');
      return place({ to: number, from }, [], tech === 'SIP' ? pbx.ports.chanSip : pbx.ports.sip, appears);
    },
    picksUp(nth, number, call) {
      const mine = pickups.then(async () => {
        await stage.phoneDials(nth, number);
        await stage.talk(call, nth);
      });
      pickups = mine.catch(() => {});
      return mine;
    },
    async rings(party) {
      await board.until(`${nameOf(party)} rings`, () => channelOf(party)?.state === 5);
      await settle();
    },
    async talk(one, other) {
      await board.until(`${nameOf(one)} talks with ${nameOf(other)}`, () => {
        const [a, b] = [channelOf(one), channelOf(other)];
        return a !== undefined && b !== undefined && board.connected(a).includes(b);
      });
      await settle();
    },
    async isUp(party) {
      await board.until(`${nameOf(party)} is up`, () => channelOf(party)?.state === 6);
      await settle();
    },
    async reaches(call, application) {
      await board.until(
        `${nameOf(call)} reaches ${application}`,
        () => call.channel.application === application,
      );
    },
    pause: (ms) => sleep(ms),
    async hangsUp(party) {
      tellSipp(await sipCallOf(party), 'hangUp');
    },
    async refers(party, to) {
      const asterisk = `127.0.0.1:${pbx.ports.sip}`;
      const target =
        typeof to === 'string'
          ? `sip:${to}@${asterisk}`
          : `sip:${to.channel.exten}@${asterisk}?Replaces=${encodeURIComponent(await replaces(to.channel))}`;
      tellSipp(await sipCallOf(party), 'refer', [`Refer-To: <${target}>`]);
    },
    async joinsCallers(one, other) {
      const [from, to] = [otherEndOf(one), otherEndOf(other)];
      const port = Number(/:(\d+)/.exec(await variable('CHANNEL(pjsip,target_uri)', from))?.[1]);
      const callId = await variable('CHANNEL(pjsip,call-id)', from);
      const target = `sip:caller@127.0.0.1:${pbx.ports.sip}?Replaces=${encodeURIComponent(await replaces(to))}`;
      tellSipp({ port, callId }, 'refer', [`Refer-To: <${target}>`]);
    },
    async connects(one, other) {
      const [{ name: first }, { name: second }] = [await live(one), await live(other)];
      await driver.action('Bridge', { Channel1: first, Channel2: second, Tone: 'no' });
    },
    async isReplaced(party, from) {
      return stage.customerCalls({ from, headers: [`Replaces: ${await replaces(await live(party))}`] });
    },
    async transfersBlind(nth, to) {
      const { name } = await live(nth);
      await driver.action('BlindTransfer', { Channel: name, Exten: to, Context: 'from-internal' });
    },
    async transfersAttended(nth, to) {
      const { name } = await live(nth);
      await driver.action('Atxfer', { Channel: name, Exten: to, Context: 'from-internal' });
    },
    async presses(party, keys) {
      const { name } = await live(party);
      for (const key of keys) await driver.action('PlayDTMF', { Channel: name, Digit: key, Receive: 'true' });
    },
    async parks(nth) {
      const phone = await live(nth);
      const other = board.connected(phone)[0];
      if (!other) throw new Error(`${phone.name} has no call to park`);
      await driver.action('Park', {
        Channel: other.name,
        TimeoutChannel: phone.name,
        AnnounceChannel: '',
        Parkinglot: `lot-${office.number}`,
      });
    },
    isParked: ({ channel }) => board.until(`${channel.name} is parked`, () => channel.parkedAt || undefined),
    async redirects(party, to, together) {
      const { name } = await live(party);
      const extra = together === undefined ? undefined : (await live(together)).name;
      await driver.action('Redirect', {
        Channel: name,
        Exten: to,
        Context: 'from-internal',
        Priority: '1',
        ...(extra
          ? { ExtraChannel: extra, ExtraExten: to, ExtraContext: 'from-internal', ExtraPriority: '1' }
          : {}),
      });
    },
    async originates(fields) {
      await driver.action('Originate', { Async: 'true', Timeout: '4000', ...fields });
    },
    async invites(nth, call, to) {
      const { name, secret } = managerUsers.driver;
      const query = new URLSearchParams({
        endpoint: `${tech}/${office.extension(nth)}`,
        extension: to,
        context: 'from-internal',
        priority: '1',
        originator: call.channel.uniqueid,
      });
      const url = `http://127.0.0.1:${pbx.ports.ari}/ari/channels?${query}`;
      const headers = { authorization: `Basic ${btoa(`${name}:${secret}`)}` };
      const { ok, status } = await fetch(url, { method: 'POST', headers });
      if (!ok) throw new Error(`ARI answers ${status} to an invitation`);
    },
    async isOver() {
      await board.until(`office ${office.number} is quiet`, () => ours().every((channel) => channel.gone));
    },
  };

  try {
    for (const [nth, script] of Object.entries(row.phones ?? {})) {
      ends.push(
        await startSipp({
          script,
          port: phonePort(pbx.ports, office, Number(nth)),
          mobile,
          office: office.number,
        }),
      );
    }
    if (row.mobile)
      ends.push(await startSipp({ script: row.mobile, port: mobilePort(pbx.ports, office), mobile }));
    await row.play(stage);
    await stage.isOver();
  } catch (error) {
    const said = await Promise.all(ends.flatMap((end) => [end.complaints(), end.messages()]));
    const left = ours().filter(({ gone }) => !gone);
    for (const { name } of left) await driver.action('Hangup', { Channel: name }).catch(() => {});
    throw new Error(
      `row ${row.name} went wrong on the telephone: ${error}
channels left: ${left.map(({ name, state, application }) => `${name} (state ${state}, ${application})`).join(', ') || 'none'}
${said.join('').slice(0, 8000)}`,
    );
  } finally {
    await Promise.all(ends.map((end) => end.close()));
  }
  return { inbound: inbound(), channels: new Set(ours().map((channel) => channel.uniqueid)) };
}

/** The bridge and the recorder see events in the order of the channel's driver; a moment keeps states apart. */
function settle(): Promise<void> {
  return sleep(250);
}

/** By the office's digit in a phone's, customer's or mobile's number; or by the call it belongs to. */
function isOf(office: Office, channel: BoardChannel, board: Board): boolean {
  const first = board.channels.get(channel.firstLinkedid);
  return (
    marks(office).test(`${channel.name} ${channel.exten} ${channel.dialled}`) ||
    (first !== undefined && first !== channel && isOf(office, first, board))
  );
}

function marks(office: Office): RegExp {
  const o = office.number;
  return new RegExp(`[/:]${o}00\\d\\b|493023125${o}\\d{2,3}\\b|4917139200${o}1\\b`);
}
