import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

/** Calls that no person answers. */
export const missedRows: readonly Row[] = [
  called({
    name: 'caller-gives-up',
    says: 'The caller gives up while the phone rings.',
    who: { rang: [1], talked: [] },
    phones: { 1: phone.rings() },
    async happens(stage) {
      await stage.rings(1);
    },
    reported: [{}],
    missed: { live: { where: 'ringing', name: '{1}', by: 'caller' } },
  }),
  {
    name: 'busy',
    says: 'The extension is busy.',
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.busy() },
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
    missed: { live: { where: 'ringing', name: '{1}', by: 'pbx' } },
  },
  {
    name: 'no-answer',
    says: 'The extension rings, nobody answers, the PBX gives up.',
    who: { rang: [1], talked: [] },
    dialplan: ['Dial(PJSIP/{P}1,2)'],
    phones: { 1: phone.rings() },
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
    missed: { live: { where: 'ringing', name: '{1}', by: 'pbx' } },
  },
  {
    name: 'nobody-registered',
    says: 'No phone is registered at the extension.',
    who: { rang: [], talked: [] },
    dialplan: ['Dial(PJSIP/{P}6,20)'],
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
    missed: { live: { where: 'ringing', by: 'pbx' } },
  },
  {
    name: 'announcement-only',
    says: 'The PBX answers, plays an announcement and hangs up.',
    who: { rang: [], talked: [] },
    dialplan: ['Answer()', 'Playback(digits/1)'],
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
    missed: { live: { where: 'announcement', by: 'pbx' }, records: {} },
  },
  {
    name: 'menu-given-up',
    says: 'The caller hangs up in the menu.',
    dialplan: ['Answer()', 'Read(KEY,,1,,1,5)', 'Dial(PJSIP/{P}{KEY},20)'],
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, 'Read');
      await stage.pause(300);
      call.hangsUp();
    },
    reported: [{}],
    missed: { live: { where: 'ivr', by: 'caller' } },
  },
  called({
    name: 'voicemail',
    says: 'Nobody answers; the caller speaks to the mailbox.',
    dialplan: ['Dial(PJSIP/{P}1,1)', 'VoiceMail({P}0,s)'],
    phones: { 1: phone.rings() },
    async happens(stage, call) {
      await stage.reaches(call, 'VoiceMail');
      await stage.pause(1000);
    },
    reported: [{}],
    missed: { live: { where: 'voicemail', by: 'caller' }, records: { where: 'voicemail', name: '{O}000' } },
  }),
  {
    name: 'conference-alone',
    says: 'The caller waits in a conference, alone, and hangs up.',
    dialplan: ['Answer()', 'ConfBridge(office-{O})'],
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, 'ConfBridge');
      await stage.pause(500);
      call.hangsUp();
    },
    reported: [{}],
    missed: { live: { by: 'caller' } },
  },
];

const completedElsewhere = [
  'Reason: SIP;cause=200;text="Call completed elsewhere"',
  'Reason: Q.850;cause=26;text="Non-selected user clearing"',
];

/** Calls that are answered at another line that the provider rings, too. */
export const elsewhereRows: readonly Row[] = [
  called({
    name: 'answered-elsewhere',
    says: 'The provider rings the office and a mobile; the mobile answers, and the provider says so (RFC 3326).',
    phones: { 1: phone.rings() },
    caller: {
      hangUpHeaders: completedElsewhere,
    },
    async happens(stage) {
      await stage.rings(1);
    },
    reported: [{ answeredBy: 'elsewhere' }],
    fromRecords: { why: 'a record has no hangup cause', reported: [{}] },
  }),
];

/** The caller says so after the PBX has answered: nobody of the house has, and no other line can have. */
function claimsElsewhere(name: string, says: string, application: string, dialplan: readonly string[]): Row {
  return {
    name,
    says,
    dialplan,
    phones: { 1: phone.rings(), 2: phone.rings() },
    async play(stage) {
      const call = await stage.customerCalls({ hangUpHeaders: completedElsewhere });
      await stage.reaches(call, application);
      await stage.pause(1_500);
      call.hangsUp();
    },
    reported: [{}],
  };
}

/** Callers who hang up, or are sent away, in words that could be taken for others. */
export const hangUpRows: readonly Row[] = [
  {
    ...claimsElsewhere(
      'queue-elsewhere-claimed',
      'The caller waits in a queue, and hangs up with "answered elsewhere".',
      'Queue',
      ['Answer()', 'Queue(phones-ringall-{O},,,,20)'],
    ),
    missed: {
      live: { where: 'queue', by: 'caller' },
      records: { where: 'queue', name: 'phones-ringall-{O}' },
    },
  },
  {
    ...claimsElsewhere(
      'menu-elsewhere-claimed',
      'The caller listens to a menu, and hangs up with "answered elsewhere".',
      'Read',
      ['Answer()', 'Read(KEY,,1,,1,9)'],
    ),
    phones: {},
    missed: { live: { where: 'ivr', by: 'caller' } },
  },
  {
    name: 'sent-away',
    says: 'The dialplan sends the caller to a mobile (Transfer: 302), which the provider rings.',
    // A moment later: of a channel that is gone at once, the bridge cannot ask whether the caller withholds the number.
    dialplan: ['Wait(1)', 'Transfer(PJSIP/sip:+491713920011@127.0.0.1:9)'],
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
  },
];

/** What answers a Local channel, and leaves no call record. */
export const unrecordedRows: readonly Row[] = [
  {
    name: 'conference-announcer',
    says: 'A program plays a tone to the caller, who waits in a conference, and goes on when the caller hangs up.',
    dialplan: ['Answer()', 'ConfBridge(office-{O})'],
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, 'ConfBridge');
      const { number } = stage.office;
      await stage.originates({ Channel: `Local/${number}070@from-internal/n`, Application: 'Milliwatt' });
      await stage.pause(2_000);
      call.hangsUp();
      await stage.pause(500);
    },
    reported: [{ recordedAsAnswered: true }],
  },
  {
    name: 'announcement-without-record',
    says: 'The caller hears an announcement, behind a Local channel whose dialplan has switched its record off.',
    dialplan: ['Dial(Local/{O}060@unrecorded/n,20)'],
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.isUp(call);
      await stage.pause(1_500);
      call.hangsUp();
    },
    reported: [{ recordedAsAnswered: true }],
  },
  called({
    name: 'phone-without-record',
    says: 'The same with a phone, which is picked up.',
    dialplan: ['Dial(Local/{P}1@unrecorded/n,20)'],
    fromRecords: { why: 'the phone has no record', reported: [{ recordedAsAnswered: true }] },
  }),
];

/** The caller is where the PBX itself deals with the call, hears it, and hangs up. */
function metBy(
  row: Pick<Row, 'name' | 'says' | 'dialplan' | 'missed'> & { readonly application: string },
): Row {
  const { application, ...rest } = row;
  return {
    ...rest,
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, application);
      await stage.pause(1_200);
      call.hangsUp();
    },
    reported: [{}],
  };
}

/** Calls that nobody of the house was to answer. */
export const nobodysRows: readonly Row[] = [
  metBy({
    name: 'fax-received',
    says: 'The PBX itself receives a fax.',
    dialplan: ['Answer()', 'ReceiveFAX(/tmp/{UNIQUEID}.tif)'],
    application: 'ReceiveFAX',
    missed: { live: { where: 'fax', by: 'caller' } },
  }),
  metBy({
    name: 'caller-blocked',
    says: 'The PBX blocks the caller: it plays the tones of a number that does not exist.',
    dialplan: ['Answer()', 'Zapateller()'],
    application: 'Zapateller',
    missed: { live: { where: 'blocked', by: 'caller' } },
  }),
  called({
    name: 'answered-elsewhere-q850',
    says: 'The provider rings the office and a mobile; the mobile answers, and the provider says so with the cause of ISDN alone.',
    phones: { 1: phone.rings() },
    caller: { hangUpHeaders: ['Reason: Q.850;cause=26'] },
    async happens(stage) {
      await stage.rings(1);
    },
    reported: [{ answeredBy: 'elsewhere' }],
    fromRecords: { why: 'a record has no hangup cause', reported: [{}] },
  }),
];
