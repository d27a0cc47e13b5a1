import type { Row } from '../row.ts';
import { pause, phone, presses, type Script } from '../sip-script.ts';
import { anonymous, restricted, shownByRecord } from './number.ts';

/** What inbound routes lead to (see `freepbx-dialplan.ts`). */
const extension = (nth: number) => [`Goto(from-did-direct,{O}00${nth},1)`];
const group = (number: number) => [`Goto(ext-group,{O}${number},1)`];
const queue = (number: number) => [`Goto(ext-queues,{O}${number},1)`];
const ivr = ['Goto(ivr-1,s,1)'];

/** The mobile is asked to press 1, and presses this. */
const asked = (key: string): Script => phone.answers({ first: [pause(700), presses(key, 'phone')] });

type Some = Pick<Row, 'name' | 'says' | 'dialplan'> & Partial<Row>;

/** Somebody takes the call; the caller hangs up. */
function answered(by: number | 'mobile', row: Some, first: Script = []): Row {
  return {
    async play(stage) {
      const call = await stage.customerCalls({ first });
      await stage.talk(call, by);
      call.hangsUp();
    },
    told: [{ answeredBy: by }],
    ...row,
  };
}

/** Nobody takes the call: the caller hangs up in this application. */
function givenUpIn(application: string, row: Some): Row {
  return {
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, application);
      await stage.pause(800);
      call.hangsUp();
    },
    told: [{}],
    ...row,
  };
}

/** The number of a caller of the first extension. */
function callFrom(
  caller: Parameters<Parameters<Row['play']>[0]['customerCalls']>[0],
  row: Pick<Row, 'name' | 'says' | 'told'> & Partial<Row>,
): Row {
  return answered(1, {
    dialplan: extension(1),
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls(caller);
      await stage.talk(call, 1);
      call.hangsUp();
    },
    ...row,
  });
}

/** The first extension answers; what then happens is the row's. */
function handedOn(
  row: Pick<Row, 'name' | 'says'> & Partial<Row>,
  then: (stage: Stage, call: Placed) => Promise<void>,
): Row {
  return {
    dialplan: extension(1),
    phones: { 1: phone.answers(), 2: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await then(stage, call);
      call.hangsUp();
    },
    told: [{ answeredBy: 1 }],
    ...row,
  };
}

type Stage = Parameters<Row['play']>[0];
type Placed = Awaited<ReturnType<Stage['customerCalls']>>;

/** Calls on a dialplan like those that FreePBX generates. */
export const freepbxRows: readonly Row[] = [
  answered(1, {
    name: 'extension',
    says: 'An extension answers.',
    dialplan: extension(1),
    phones: { 1: phone.answers() },
  }),
  {
    name: 'extension-given-up',
    says: 'The caller gives up while the extension rings.',
    dialplan: extension(1),
    phones: { 1: phone.rings() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.rings(1);
      call.hangsUp();
    },
    told: [{}],
  },
  givenUpIn('VoiceMail', {
    name: 'extension-voicemail',
    says: 'The extension does not answer; the caller speaks to the mailbox.',
    dialplan: extension(1),
    phones: { 1: phone.rings() },
  }),
  {
    name: 'voicemail-operator',
    says: "The caller presses 0 at the mailbox; reception's own number is dialled inside, and reception answers.",
    dialplan: ['Goto(ext-local,vmu{O}000,1)'],
    phones: { 2: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls({ first: [pause(1500), presses('0', 'caller')] });
      await stage.talk(call, 2);
      call.hangsUp();
    },
    told: [{ answeredBy: 2 }],
  },
  answered(2, {
    name: 'ring-group',
    says: 'A ring group rings two phones; the second answers.',
    dialplan: group(600),
    phones: { 1: phone.rings(), 2: phone.answers({ after: 500 }) },
  }),
  {
    name: 'ring-group-nobody',
    says: 'Nobody in the ring group answers; FreePBX hangs up.',
    dialplan: group(600),
    phones: { 1: phone.rings(), 2: phone.rings() },
    async play(stage) {
      await stage.customerCalls();
      await stage.rings(2);
    },
    told: [{}],
  },
  answered('mobile', {
    name: 'ring-group-mobile',
    says: 'A ring group rings a phone and a mobile; the mobile answers.',
    dialplan: group(601),
    phones: { 1: phone.rings() },
    mobile: phone.answers({ after: 500 }),
  }),
  answered('mobile', {
    name: 'ring-group-confirmed',
    says: 'The mobile of a ring group is asked to press 1, and does.',
    dialplan: group(602),
    phones: { 1: phone.rings() },
    mobile: asked('1'),
  }),
  {
    name: 'ring-group-refused',
    says: 'The mobile of a ring group is asked to press 1, but presses 2. Nobody else answers.',
    dialplan: group(602),
    phones: { 1: phone.rings() },
    mobile: asked('2'),
    async play(stage) {
      await stage.customerCalls();
      await stage.isUp('mobile');
    },
    told: [{}],
  },
  answered(1, {
    name: 'ring-group-phone-first',
    says: 'While the mobile is being asked, a phone of the group answers.',
    dialplan: group(602),
    phones: { 1: phone.answers({ after: 1500 }) },
    mobile: phone.answers(),
  }),
  answered(2, {
    name: 'queue',
    says: 'A queue rings its members one by one; the second answers.',
    dialplan: queue(400),
    phones: { 1: phone.rings(), 2: phone.answers() },
  }),
  answered(1, {
    name: 'queue-ringall',
    says: 'A queue rings all its members; the first answers.',
    dialplan: queue(401),
    phones: { 1: phone.answers({ after: 500 }), 2: phone.rings() },
  }),
  {
    name: 'queue-given-up',
    says: 'The caller hangs up while waiting in the queue.',
    dialplan: queue(401),
    phones: { 1: phone.rings(), 2: phone.rings() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.rings(1);
      call.hangsUp();
    },
    told: [{}],
  },
  givenUpIn('VoiceMail', {
    name: 'queue-voicemail',
    says: 'Nobody in the queue answers; after a while the caller gets the mailbox.',
    dialplan: queue(401),
    phones: { 1: phone.rings(), 2: phone.rings() },
  }),
  answered(
    1,
    {
      name: 'ivr-extension',
      says: 'The caller presses 1 in the menu and gets an extension.',
      dialplan: ivr,
      phones: { 1: phone.answers() },
    },
    [pause(1500), presses('1', 'caller')],
  ),
  answered(
    1,
    {
      name: 'ivr-queue',
      says: 'The caller presses 2 in the menu and gets the queue.',
      dialplan: ivr,
      phones: { 1: phone.answers() },
    },
    [pause(1500), presses('2', 'caller')],
  ),
  givenUpIn('WaitExten', { name: 'ivr-given-up', says: 'The caller hangs up in the menu.', dialplan: ivr }),
  answered(1, {
    name: 'time-condition-open',
    says: 'The office is open: the ring group rings.',
    dialplan: ['Goto(timeconditions,open,1)'],
    phones: { 1: phone.answers(), 2: phone.rings() },
  }),
  {
    name: 'time-condition-closed',
    says: 'The office is closed: an announcement, and the end.',
    dialplan: ['Goto(timeconditions,closed,1)'],
    async play(stage) {
      await stage.customerCalls();
    },
    told: [{}],
  },
  answered('mobile', {
    name: 'follow-me',
    says: 'The extension does not answer, its mobile does.',
    dialplan: extension(4),
    phones: { 4: phone.rings() },
    mobile: phone.answers(),
  }),
  answered('mobile', {
    name: 'follow-me-confirmed',
    says: 'Extension and mobile ring; the mobile is asked to press 1, and does.',
    dialplan: extension(3),
    phones: { 3: phone.rings() },
    mobile: asked('1'),
  }),
  givenUpIn('VoiceMail', {
    name: 'follow-me-refused',
    says: 'The mobile presses 2; the caller gets the mailbox.',
    dialplan: extension(3),
    phones: { 3: phone.rings() },
    mobile: asked('2'),
  }),
  answered('mobile', {
    name: 'call-forward',
    says: 'The extension is forwarded to the mobile by the PBX.',
    dialplan: ['Set(__CF_{O}001=0+4917139200{O}1)', ...extension(1)],
    mobile: phone.answers(),
  }),
  handedOn(
    { name: 'blind-transfer', says: 'The first extension hands the caller to the second.' },
    async (stage, call) => {
      await stage.transfersBlind(1, stage.extension(2));
      await stage.talk(call, 2);
    },
  ),
  {
    name: 'blind-transfer-queue',
    says: 'An extension hands the caller to a queue; a member takes the call there.',
    dialplan: extension(5),
    phones: { 1: phone.rings(), 2: phone.answers(), 5: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 5);
      await stage.transfersBlind(5, `${stage.office.number}400`);
      await stage.talk(call, 2);
      call.hangsUp();
    },
    told: [{ answeredBy: 5 }],
  },
  handedOn(
    {
      name: 'blind-transfer-mobile',
      says: 'The first extension hands the caller to a mobile.',
      mobile: phone.answers(),
    },
    async (stage, call) => {
      await stage.transfersBlind(1, `0${stage.mobile}`);
      await stage.talk(call, 'mobile');
    },
  ),
  handedOn(
    {
      name: 'attended-transfer',
      says: 'The first extension speaks with the second, then hands the caller over.',
    },
    async (stage, call) => {
      await stage.transfersAttended(1, stage.extension(2));
      await stage.talk(1, 2);
      await stage.hangsUp(1);
      await stage.talk(call, 2);
    },
  ),
  {
    name: 'pickup',
    says: "The first extension rings; the second picks the group's call up with *8.",
    dialplan: extension(1),
    phones: { 1: phone.rings() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.rings(1);
      await stage.phoneDials(2, '*8');
      await stage.talk(call, 2);
      call.hangsUp();
    },
    told: [{ answeredBy: 2 }],
  },
  {
    name: 'directed-pickup',
    says: 'The first extension rings; the second picks its call up with ** and its number.',
    dialplan: extension(1),
    phones: { 1: phone.rings() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.rings(1);
      await stage.phoneDials(2, `**${stage.extension(1)}`);
      await stage.talk(call, 2);
      call.hangsUp();
    },
    told: [{ answeredBy: 2 }],
  },
  handedOn(
    {
      name: 'park-and-retrieve',
      says: 'The first extension parks the caller, the second takes the call back.',
    },
    async (stage, call) => {
      await stage.parks(1);
      const second = await stage.phoneDials(2, await stage.isParked(call));
      await stage.talk(call, second);
    },
  ),
  handedOn(
    {
      name: 'park-returns',
      says: 'The first extension parks the caller, nobody comes, and it rings there again.',
    },
    async (stage, call) => {
      await stage.parks(1);
      await stage.isParked(call);
      await stage.talk(call, 1);
    },
  ),
  {
    name: 'conference',
    says: 'The caller waits in a conference; an extension joins.',
    dialplan: ['Goto(ext-meetme,{O}900,1)'],
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, 'ConfBridge');
      await stage.pause(300);
      const host = await stage.phoneDials(1, `${stage.office.number}900`);
      await stage.talk(call, host);
      call.hangsUp();
      await stage.pause(200);
      host.hangsUp();
    },
    told: [{ answeredBy: 1 }],
  },
  callFrom(restricted, {
    name: 'number-withheld',
    says: 'The caller withholds the number, the trunk shows it to the PBX, and the inbound route allows it.',
    told: [],
    untold: 1,
    fromRecords: shownByRecord,
  }),
  callFrom(
    { ...restricted, name: '' },
    {
      name: 'number-withheld-no-name',
      says: 'The same, without a name.',
      told: [],
      untold: 1,
      fromRecords: shownByRecord,
    },
  ),
  callFrom(anonymous, { name: 'anonymous', says: 'The caller has no number at all.', told: [], untold: 1 }),
  callFrom(
    { from: '04066969123' },
    {
      name: 'number-outside-line',
      says: 'The inbound route puts the digit for an outside line before the number.',
      dialplan: ['Set(CALLERID(num)=0{CALLERID(num)})', ...extension(1)],
      told: [{ from: '+494066969123', answeredBy: 1 }],
    },
  ),
  {
    name: 'own-number-from-inside',
    says: "An extension dials reception's own number from inside.",
    phones: { 2: phone.answers() },
    async play(stage) {
      const call = await stage.phoneDials(1, `4930231250${stage.office.number}0`);
      await stage.talk(call, 2);
      call.hangsUp();
    },
    told: [],
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
    told: [],
  },
  {
    name: 'extension-to-extension',
    says: 'An extension calls another.',
    phones: { 2: phone.answers() },
    async play(stage) {
      const call = await stage.phoneDials(1, stage.extension(2));
      await stage.talk(call, 2);
      call.hangsUp();
    },
    told: [],
  },
  {
    name: 'click-to-call',
    says: 'A program rings the extension, then calls the customer.',
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
    told: [],
  },
];
