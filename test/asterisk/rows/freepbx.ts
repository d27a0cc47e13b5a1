import type { Row } from '../../tools/lab/row.ts';
import { pause, phone, presses, type Script } from '../../tools/lab/sip-script.ts';
import { matrix } from './all.ts';
import { called } from './called.ts';

/** What inbound routes lead to (see `freepbx-dialplan.ts`). */
const extension = (nth: number) => [`Goto(from-did-direct,{O}00${nth},1)`];
const group = (number: number) => [`Goto(ext-group,{O}${number},1)`];
const queue = (number: number) => [`Goto(ext-queues,{O}${number},1)`];
const ivr = ['Goto(ivr-1,s,1)'];

/** The same as the plain row of this name, on this dialplan. */
function same(name: string, changes: Partial<Row> = {}): Row {
  const row = matrix.find((each) => each.name === name);
  if (row === undefined) throw new Error(`there is no row ${name}`);
  return { ...row, ...(row.dialplan && { dialplan: extension(1) }), ...changes };
}

/** Nobody takes the call: the caller hangs up in this application. */
function givenUpIn(application: string, row: Parameters<typeof called>[0]): Row {
  return called({
    phones: {},
    reported: [{}],
    async happens(stage, call) {
      await stage.reaches(call, application);
      // Somebody hears where they are first; a busy machine needs a while to say whose mailbox that is.
      await stage.pause(2_000);
    },
    ...row,
  });
}

/** The mobile is asked to press 1, and presses this. */
const asked = (key: string): Script => phone.answers({ first: [pause(1200), presses(key, 'phone')] });
const menu = (key: string): Script => [pause(1500), presses(key, 'caller')];

const inMailbox = { live: { where: 'voicemail', name: '{O}000', by: 'caller' } } as const;

/** Calls on a dialplan like those that FreePBX generates. A row that plain dialplans have too has the same name. */
export const freepbxRows: readonly Row[] = [
  same('extension-caller-hangs-up'),
  same('caller-gives-up'),
  givenUpIn('VoiceMail', {
    name: 'busy',
    says: 'The extension is busy; the caller gets its mailbox, and hangs up.',
    dialplan: extension(1),
    phones: { 1: phone.busy() },
    missed: inMailbox,
  }),
  same('voicemail', { missed: inMailbox }),
  called({
    name: 'voicemail-operator',
    says: "The caller presses 0 at the mailbox; reception's own number is dialled inside, and reception answers.",
    dialplan: ['Goto(ext-local,vmu{O}000,1)'],
    phones: { 2: phone.answers() },
    caller: { first: menu('0') },
    reported: [{ answeredBy: 2 }],
  }),
  same('ring-group-local', { dialplan: group(600) }),
  same('ring-group-nobody', {
    dialplan: group(600),
    who: { rang: [1, 2], talked: [] },
    missed: { live: { where: 'ringing', name: '{O}600', by: 'pbx' } },
  }),
  same('ring-group-with-mobile', { dialplan: group(601) }),
  called({
    name: 'ring-group-mobile-answers',
    says: 'A ring group rings a phone and a mobile; the mobile answers.',
    dialplan: group(601),
    phones: { 1: phone.rings() },
    mobile: phone.answers({ after: 500 }),
    reported: [{ answeredBy: 'mobile' }],
  }),
  same('press-one-accepted', { dialplan: group(602), phones: { 1: phone.rings() } }),
  same('press-one-refused', { dialplan: group(602), phones: { 1: phone.rings() } }),
  called({
    name: 'press-one-phone-first',
    says: 'While the mobile is asked to press 1, a phone of the group answers.',
    dialplan: group(602),
    phones: { 1: phone.answers({ after: 1500 }) },
    mobile: phone.answers(),
  }),
  same('queue-local-one-by-one', { dialplan: queue(400) }),
  same('queue-local-ringall', { dialplan: queue(401) }),
  same('queue-given-up', {
    dialplan: queue(401),
    missed: { live: { where: 'queue', name: '{O}401', by: 'caller' } },
  }),
  same('queue-timeout-voicemail', { dialplan: queue(401) }),
  called({
    name: 'menu-then-extension',
    says: 'The caller presses 1 in the menu and gets an extension.',
    dialplan: ivr,
    phones: { 1: phone.answers() },
    caller: { first: menu('1') },
  }),
  called({
    name: 'menu-then-queue',
    says: 'The caller presses 2 in the menu and gets the queue.',
    dialplan: ivr,
    phones: { 1: phone.answers() },
    caller: { first: menu('2') },
  }),
  givenUpIn('WaitExten', {
    name: 'menu-given-up',
    says: 'The caller hangs up in the menu.',
    dialplan: ivr,
    missed: { live: { where: 'ivr', name: '1', by: 'caller' } },
  }),
  called({
    name: 'time-condition-open',
    says: 'The office is open: the ring group rings.',
    dialplan: ['Goto(timeconditions,open,1)'],
    phones: { 1: phone.answers(), 2: phone.rings() },
  }),
  same('announcement-only', {
    name: 'time-condition-closed',
    says: 'The office is closed: an announcement, and the end.',
    dialplan: ['Goto(timeconditions,closed,1)'],
    missed: {
      live: { where: 'announcement', name: '1 (time condition closed)', by: 'pbx' },
      records: { where: 'terminated' },
    },
  }),
  same('follow-me-mobile', { dialplan: extension(4), phones: { 4: phone.rings() } }),
  called({
    name: 'follow-me-confirmed',
    says: 'Extension and mobile ring; the mobile is asked to press 1, and does.',
    dialplan: extension(3),
    phones: { 3: phone.rings() },
    mobile: asked('1'),
    reported: [{ answeredBy: 'mobile' }],
  }),
  called({
    name: 'follow-me-phone',
    says: 'Extension and mobile ring; the phone answers first.',
    dialplan: extension(3),
    phones: { 3: phone.answers({ after: 500 }) },
    mobile: phone.rings(),
    reported: [{ answeredBy: 3 }],
  }),
  givenUpIn('VoiceMail', {
    name: 'follow-me-refused',
    says: 'The mobile presses 2; the caller gets the mailbox.',
    dialplan: extension(3),
    phones: { 3: phone.rings() },
    mobile: asked('2'),
  }),
  called({
    name: 'call-forward',
    says: 'The extension is forwarded to the mobile by the PBX.',
    dialplan: ['Set(__CF_{O}001=0+4917139200{O}1)', ...extension(1)],
    phones: {},
    mobile: phone.answers(),
    reported: [{ answeredBy: 'mobile' }],
  }),
  same('forwarded-by-phone'),
  same('blind-transfer'),
  same('blind-transfer-unanswered'),
  called({
    name: 'transfer-to-queue',
    says: 'An extension hands the caller to a queue; a member takes the call there.',
    dialplan: extension(5),
    phones: { 1: phone.rings(), 2: phone.answers(), 5: phone.answers() },
    async happens(stage, call) {
      await stage.talk(call, 5);
      await stage.transfersBlind(5, `${stage.office.number}400`);
      await stage.talk(call, 2);
    },
    reported: [{ answeredBy: 5 }],
  }),
  called({
    name: 'blind-transfer-to-mobile',
    says: 'The first extension hands the caller to a mobile.',
    dialplan: extension(1),
    mobile: phone.answers(),
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersBlind(1, `0${stage.mobile}`);
      await stage.talk(call, 'mobile');
    },
  }),
  same('attended-transfer-completed'),
  same('attended-transfer-abandoned'),
  same('pickup'),
  same('directed-pickup'),
  same('pickup-from-queue', { dialplan: queue(401) }),
  same('park-and-retrieve'),
  same('park-times-out'),
  same('conference-joined', { dialplan: ['Goto(ext-meetme,{O}070,1)'] }),
  same('number-restricted'),
  same('number-restricted-number-set'),
  same('anonymous'),
  same('number-national'),
  same('number-rewritten', {
    says: 'The inbound route puts the digit for an outside line before the number.',
    dialplan: ['Set(CALLERID(num)=0{CALLERID(num)})', ...extension(1)],
  }),
  {
    name: 'own-number-from-inside',
    says: "An extension dials reception's own number from inside.",
    phones: { 2: phone.answers() },
    async play(stage) {
      const call = await stage.phoneDials(1, `4930231250${stage.office.number}0`);
      await stage.talk(call, 2);
      call.hangsUp();
    },
    reported: [],
  },
  {
    name: 'extension-to-trunk',
    says: 'An extension calls a mobile, with the digit for an outside line.',
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.phoneDials(1, `0${stage.mobile}`);
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    reported: [],
  },
  same('extension-to-extension'),
  {
    name: 'click-to-call-local',
    says: 'A program rings the extension by way of a Local channel, then calls the customer.',
    phones: { 1: phone.answers() },
    mobile: phone.answers(),
    async play(stage) {
      await stage.originates({
        Channel: `Local/${stage.extension(1)}@from-internal`,
        Exten: `0${stage.mobile}`,
        Context: 'from-internal',
        Priority: '1',
      });
      await stage.talk(1, 'mobile');
      await stage.hangsUp(1);
    },
    reported: [],
  },
  same('rule-ignores-caller'),
  same('queue-local-one-by-one', {
    name: 'rule-extension-of-a-queue',
    says: 'A queue rings an extension that a rule names: rules do not look at it.',
    dialplan: queue(400),
    settings: { REPORT_RULES: 'ignore extension ?00?' },
  }),
  same('call-back-talked', {
    async play(stage) {
      const call = await stage.phoneDials(1, `0${stage.mobile}`);
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
  }),
  same('call-back-not-reached', {
    async play(stage) {
      const call = await stage.phoneDials(1, `0${stage.mobile}`);
      await stage.rings('mobile');
      call.hangsUp();
    },
  }),
  same('call-back-of-nobody', {
    async play(stage) {
      const call = await stage.phoneDials(1, `0${stage.mobile}`);
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
  }),
];

/**
 * A mobile that declines, on the dialplan that FreePBX 17 writes: Dial takes its hanging up for an answer, joins the
 * caller for a moment with what is left of the call, and hangs up.
 */
const refused = {
  async play(stage) {
    await stage.customerCalls();
    await stage.isUp('mobile');
  },
  reported: [{}],
  fromRecords: {
    why: 'FreePBX 17 ends the call of a caller whom a mobile declines, and Asterisk records it as answered',
    reported: [{ answeredBy: 'mobile' }],
  },
} satisfies Partial<Row>;

const of17: Readonly<Record<string, Partial<Row>>> = {
  'press-one-refused': refused,
  'follow-me-refused': refused,
};

const ofGenerated: Readonly<Record<string, Partial<Row>>> = {
  'time-condition-closed': {
    missed: {
      live: { where: 'announcement', name: '{O} (time condition {O}2)', by: 'pbx' },
      records: { where: 'terminated' },
    },
  },
  'queue-timeout-voicemail': { missed: { live: { where: 'voicemail', name: '{1}', by: 'caller' } } },
};

/** There, each extension has a mailbox of its own, and each office a menu of its own. */
const ownNames: Readonly<Record<string, string>> = { '{O}000': '{1}', '1': '{O}' };
function named<Of extends { readonly name?: string | undefined }>(of: Of): Of {
  return { ...of, ...(of.name && { name: ownNames[of.name] ?? of.name }) };
}

/** What only FreePBX's own modules write. */
const ownRows: readonly Row[] = [
  givenUpIn('Dial', {
    name: 'ring-group-given-up',
    says: 'The caller hangs up while the phones of a group ring.',
    dialplan: group(600),
    phones: { 1: phone.rings(), 2: phone.rings() },
    missed: { live: { where: 'ringing', name: '{O}600', by: 'caller' } },
  }),
  givenUpIn('VoiceMail', {
    name: 'ring-group-voicemail',
    says: "Nobody of a group answers; the caller gets another phone's mailbox, and hangs up.",
    dialplan: group(603),
    phones: { 1: phone.rings() },
    missed: { live: { where: 'voicemail', name: '{O}002', by: 'caller' } },
  }),
  called({
    name: 'phone-redirects-to-voicemail',
    says: 'The phone sends its calls to the mailbox of another (302); the caller hangs up there.',
    dialplan: extension(1),
    phones: { 1: phone.forwards('vmu[office]002') },
    reported: [{}],
    async happens(stage, call) {
      await stage.isUp(call);
      // Somebody hears where they are first; a busy machine needs a while to say whose mailbox that is.
      await stage.pause(2_000);
    },
    missed: { live: { where: 'voicemail', name: '{O}002', by: 'caller' } },
  }),
  {
    name: 'menu-timeout',
    says: 'The caller presses nothing in the menu, which ends the call.',
    dialplan: ivr,
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
    missed: { live: { where: 'ivr', name: '{O}', by: 'pbx' }, records: { where: 'terminated' } },
  },
  {
    name: 'terminated',
    says: 'The inbound route ends the call.',
    dialplan: ['Goto(app-blackhole,hangup,1)'],
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
    missed: { live: { where: 'terminated', by: 'pbx' } },
  },
];

/** The same on the dialplan that FreePBX's modules write. */
export const generatedRows = (release: '17' | '16'): readonly Row[] => [
  ...freepbxRows.map(({ missed, ...row }) => ({
    ...row,
    ...(missed && {
      missed: { live: named(missed.live), ...(missed.records && { records: named(missed.records) }) },
    }),
    ...ofGenerated[row.name],
    ...(release === '17' && of17[row.name]),
  })),
  ...ownRows,
];
