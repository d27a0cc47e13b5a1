/**
 * What one end of a call does, step by step, as a sipp scenario (sipp's own XML, see sipp.readthedocs.io).
 * A script is a list of steps; each step is a piece of that XML.
 */
export type Step = string;
export type Script = readonly Step[];

/** Where a caller's call goes and what it shows of itself. */
export type Invitation = {
  /** The number dialled. */
  readonly to: string;
  /** The user part of From; '' leaves it out. */
  readonly from: string;
  readonly name?: string;
  /** Whole header lines. */
  readonly headers?: readonly string[];
  /** Those of the request by which the caller ends the call: CANCEL while it rings, BYE afterwards. */
  readonly hangUpHeaders?: readonly string[];
};

/** A phone's script: what it does with the call that comes in. */
export const phone = {
  /** Rings for `after` ms, saying so by `says` (180), is picked up, does `first` and talks until either end hangs up. */
  answers: (options: { after?: number; first?: Script; says?: string } = {}): Script => [
    invited,
    ringing(options.says),
    pause(options.after ?? 300),
    pickedUp,
    ...(options.first ?? []),
    ...talks('phone'),
    ...over,
  ],
  /** Rings until the caller or the PBX gives up. */
  rings: ({ says }: { says?: string } = {}): Script => [invited, ringing(says), isCancelled],
  busy: (): Script => [invited, refuse('486 Busy Here')],
  /** Is forwarded by its user: the phone itself sends the call on, to the office's mobile by default. */
  forwards: (to = '[mobile]'): Script => [
    invited,
    refuse('302 Moved Temporarily', `Contact: <sip:${to}@[local_ip]:[local_port]>`),
  ],
} as const;

/** A caller's script: calls; if answered, does `first` and talks until either end hangs up. */
export function calls(invitation: Invitation, first: Script = []): Script {
  return [
    invite(invitation),
    ...['100', '180', '181', '183'].map((status) => `<recv response="${status}" optional="true"/>`),
    `<recv request="${commands.hangUp}" optional="true" next="gives-up"/>`,
    answer,
    ...first,
    ...talks('caller', invitation.hangUpHeaders),
    '<label id="gives-up"/>',
    cancel(invitation),
    ...over,
  ];
}

/** A caller's script: gives up after a random time between `min` and `max` ms. Nobody answers before that. */
export function givesUp(invitation: Invitation, { min, max }: { min: number; max: number }): Script {
  return [
    invite(invitation),
    '<recv response="100"/>',
    `<pause distribution="uniform" min="${min}" max="${max}"/>`,
    cancel(invitation),
    ...over,
  ];
}

/**
 * SIP requests that Asterisk never sends here. The lab sends them to sipp, within a call, to have it do something:
 * it is the only way to make sipp act on what happens elsewhere. `refer` brings the Refer-To to use.
 */
export const commands = { hangUp: 'MESSAGE', refer: 'SUBSCRIBE' } as const;

/** Until either end hangs up: transfers the other end or hangs up when commanded to. */
function talks(side: 'phone' | 'caller', headers: readonly string[] = []): Script {
  return [
    '<label id="talks"/>',
    `<recv request="${commands.refer}" optional="true" next="refers">
<action><ereg regexp=".*" search_in="hdr" header="Refer-To:" assign_to="refer"/></action>
</recv>`,
    `<recv request="${commands.hangUp}" optional="true" next="hangs-up"/>`,
    isHungUp,
    '<nop next="over"/>',
    '<label id="refers"/>',
    inDialog('REFER', side, { headers: ['Refer-To:[$refer]'] }),
    '<recv response="202"/>',
    '<nop next="talks"/>',
    '<label id="hangs-up"/>',
    inDialog('BYE', side, { headers }),
    '<recv response="200"/>',
    '<nop next="over"/>',
  ];
}

const over: Script = ['<label id="over"/>', '<nop/>'];

export function pause(ms: number): Step {
  return `<pause milliseconds="${ms}"/>`;
}

/** Presses a key: SIP INFO, as the lab's endpoints take DTMF. */
export function presses(key: string, side: 'phone' | 'caller'): Step {
  return `${inDialog('INFO', side, { type: 'application/dtmf-relay', body: `Signal=${key}\nDuration=160` })}
<recv response="200"/>`;
}

/** Puts the other end on hold (re-INVITE, sendonly), or takes it back (sendrecv). */
export function reinvites(direction: 'sendonly' | 'sendrecv', side: 'phone' | 'caller'): Step {
  return `${inDialog('INVITE', side, { type: 'application/sdp', body: sdp(direction) })}
<recv response="100" optional="true"/><recv response="200"/>
${inDialog('ACK', side)}`;
}

export function scenario(script: Script): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<scenario name="pbx-bridge lab">
${script.join('\n')}
</scenario>
`;
}

const sdp = (direction: string) => `v=0
o=lab 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [local_ip]
t=0 0
m=audio 9 RTP/AVP 0
a=rtpmap:0 PCMU/8000
a=${direction}`;

/** A SIP message. sipp fills in `[len]` and turns line ends into CRLF. */
function message(start: string, headers: readonly string[], body = '', type = 'application/sdp'): Step {
  const lines = [
    start,
    ...headers,
    ...(body ? [`Content-Type: ${type}`] : []),
    'Content-Length: [len]',
    '',
    body,
  ];
  return `<send><![CDATA[
${lines.join('\n')}
]]></send>`;
}

const invited: Step = `<recv request="INVITE" crlf="true">
<action>
<ereg regexp=".*" search_in="hdr" header="From:" assign_to="them"/>
<ereg regexp=".*" search_in="hdr" header="To:" assign_to="us"/>
<ereg regexp="sip:[^>]*" search_in="hdr" header="Contact:" assign_to="target"/>
</action>
</recv>
<Reference variables="them,us,target"/>`;

const ourTag = ';tag=[pid]-[call_number]';
const echoed = ['[last_Via:]', '[last_From:]', `[last_To:]${ourTag}`, '[last_Call-ID:]', '[last_CSeq:]'];
const contact = 'Contact: <sip:lab@[local_ip]:[local_port]>';

/** While it rings, a phone `says` this. */
const ringing = (says = '180 Ringing'): Step => message(`SIP/2.0 ${says}`, [...echoed, contact]);

const pickedUp: Step = `${message('SIP/2.0 200 OK', [...echoed, contact], sdp('sendrecv'))}
<recv request="ACK"/>`;

function refuse(status: string, header = contact): Step {
  return `${message(`SIP/2.0 ${status}`, [...echoed, header])}
<recv request="ACK"/>`;
}

const isHungUp: Step = `<recv request="BYE"/>
${message('SIP/2.0 200 OK', ['[last_Via:]', '[last_From:]', '[last_To:]', '[last_Call-ID:]', '[last_CSeq:]'])}`;

/** The CANCEL has the INVITE's branch and number (RFC 3261, 9.1), so the 487 can be made from it. */
const isCancelled: Step = `<recv request="CANCEL">
<action><ereg regexp="[0-9]+" search_in="hdr" header="CSeq:" assign_to="number"/></action>
</recv>
${message('SIP/2.0 200 OK', echoed)}
${message('SIP/2.0 487 Request Terminated', [...echoed.slice(0, 4), 'CSeq: [$number] INVITE'])}
<recv request="ACK"/>`;

const inviteVia = 'Via: SIP/2.0/UDP [local_ip]:[local_port];branch=z9hG4bK-[pid]-[call_number]-invite';

function fromOf(invitation: Invitation): string {
  const user = invitation.from === '' ? '' : `${invitation.from}@`;
  const name = invitation.name === undefined ? '' : `"${invitation.name}" `;
  return `From: ${name}<sip:${user}[local_ip]:[local_port]>${ourTag}`;
}

function invite(invitation: Invitation): Step {
  return message(
    `INVITE sip:${invitation.to}@[remote_ip]:[remote_port] SIP/2.0`,
    [
      inviteVia,
      fromOf(invitation),
      `To: <sip:${invitation.to}@[remote_ip]:[remote_port]>`,
      'Call-ID: [call_id]',
      'CSeq: [cseq] INVITE',
      contact,
      'Max-Forwards: 70',
      ...(invitation.headers ?? []),
    ],
    sdp('sendrecv'),
  );
}

const answer: Step = `<recv response="200" rrs="true"><action>
<ereg regexp=".*" search_in="hdr" header="To:" assign_to="them"/>
<ereg regexp=".*" search_in="hdr" header="From:" assign_to="us"/>
<ereg regexp="sip:[^>]*" search_in="hdr" header="Contact:" assign_to="target"/>
</action></recv>
<Reference variables="them,us,target"/>
${inDialog('ACK', 'caller')}`;

/**
 * Its branch is the INVITE's (RFC 3261, 9.1), and so is that of the ACK to the 487 (17.1.1.3). PJSIP answers the CANCEL
 * first, chan_sip the INVITE.
 */
function cancel(invitation: Invitation): Step {
  const uri = `sip:${invitation.to}@[remote_ip]:[remote_port]`;
  const request = (method: string, to: string, headers: readonly string[] = []) =>
    message(`${method} ${uri} SIP/2.0`, [
      inviteVia,
      fromOf(invitation),
      to,
      'Call-ID: [call_id]',
      `CSeq: 1 ${method}`,
      'Max-Forwards: 70',
      ...headers,
    ]);
  return `${request('CANCEL', `To: <${uri}>`, invitation.hangUpHeaders)}
<recv response="487" optional="true" next="ended-first"/>
<recv response="200"/>
<recv response="487"/>
<nop next="cancelled"/>
<label id="ended-first"/>
<recv response="200"/>
<label id="cancelled"/>
${request('ACK', '[last_To:]')}`;
}

/** A request within the call. */
function inDialog(
  method: string,
  side: 'phone' | 'caller',
  more: { readonly headers?: readonly string[]; readonly type?: string; readonly body?: string } = {},
): Step {
  // A caller's own From has its tag already.
  const from = side === 'phone' ? `[$us]${ourTag}` : '[$us]';
  return message(
    `${method} [$target] SIP/2.0`,
    [
      'Via: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]',
      `From:${from}`,
      'To:[$them]',
      'Call-ID: [call_id]',
      `CSeq: [cseq] ${method}`,
      contact,
      'Max-Forwards: 70',
      ...(more.headers ?? []),
    ],
    more.body,
    more.type,
  );
}
