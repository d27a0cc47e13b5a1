import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

const transferable = ['Dial(PJSIP/{P}1,20,tT)'];
/** Somebody else at the caller's. */
const colleague = '+494066969999';
const twoPhones = { 1: phone.answers(), 2: phone.answers() };

/** The caller is handed on: still the same call, answered by who answered first. */
export const transferRows: readonly Row[] = [
  called({
    name: 'blind-transfer',
    says: 'The first extension hands the caller to the second without asking.',
    who: { rang: [1, 2], talked: [1, 2] },
    dialplan: transferable,
    phones: twoPhones,
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersBlind(1, stage.extension(2));
      await stage.talk(call, 2);
    },
  }),
  called({
    name: 'blind-transfer-by-phone',
    says: "The same, by the phone's own transfer key (SIP REFER).",
    who: { rang: [1, 2], talked: [1, 2] },
    phones: twoPhones,
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.refers(1, stage.extension(2));
      await stage.talk(call, 2);
    },
  }),
  called({
    name: 'blind-transfer-to-mobile',
    says: 'The first extension hands the caller to a mobile, over the trunk.',
    who: { rang: [1, 'mobile'], talked: [1, 'mobile'] },
    dialplan: transferable,
    mobile: phone.answers(),
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersBlind(1, stage.mobile);
      await stage.talk(call, 'mobile');
    },
  }),
  called({
    name: 'blind-transfer-unanswered',
    says: 'The first extension hands the caller to the second, where nobody answers.',
    who: { rang: [1, 2], talked: [1] },
    dialplan: transferable,
    phones: { 1: phone.answers(), 2: phone.rings() },
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersBlind(1, stage.extension(2));
      await stage.rings(2);
    },
  }),
  called({
    name: 'attended-transfer-completed',
    says: 'The first extension speaks with the second, then hands the caller over.',
    who: { rang: [1, 2], talked: [1, 2] },
    dialplan: transferable,
    phones: twoPhones,
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersAttended(1, stage.extension(2));
      await stage.talk(1, 2);
      await stage.hangsUp(1);
      await stage.talk(call, 2);
    },
  }),
  called({
    name: 'attended-transfer-by-phone',
    says: 'The first phone calls the second on its other line, speaks with it, and joins the two (REFER with Replaces).',
    who: { rang: [1], talked: [1, 2] },
    phones: twoPhones,
    async happens(stage, call) {
      await stage.talk(call, 1);
      const consultation = await stage.phoneDials(1, stage.extension(2));
      await stage.talk(consultation, 2);
      await stage.refers(1, consultation);
      await stage.talk(call, 2);
    },
  }),
  called({
    name: 'attended-transfer-abandoned',
    says: 'The first extension speaks with the second, then takes the caller back.',
    dialplan: transferable,
    phones: twoPhones,
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersAttended(1, stage.extension(2));
      await stage.talk(1, 2);
      await stage.presses(1, '*1');
      await stage.talk(call, 1);
    },
  }),
  {
    name: 'attended-transfer-three-way',
    says: 'The first extension speaks with the second, then all three talk together; the caller leaves first.',
    who: { rang: [1, 2], talked: [1, 2] },
    dialplan: transferable,
    phones: twoPhones,
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.transfersAttended(1, stage.extension(2));
      await stage.talk(1, 2);
      await stage.presses(1, '*3');
      await stage.talk(call, 2);
      await stage.talk(call, 1);
      call.hangsUp();
      await stage.pause(300);
      await stage.hangsUp(1);
    },
    reported: [{ answeredBy: 1 }],
  },
  {
    name: 'attended-transfer-caller-gone',
    says: 'The caller hangs up on hold, while the first extension speaks with the second.',
    dialplan: transferable,
    phones: twoPhones,
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.transfersAttended(1, stage.extension(2));
      await stage.talk(1, 2);
      call.hangsUp();
      await stage.pause(300);
      await stage.hangsUp(1);
    },
    reported: [{ answeredBy: 1 }],
  },
  called({
    name: 'blonde-transfer',
    says: 'The first extension calls the second and hangs up while it rings; the second answers.',
    dialplan: transferable,
    // A busy machine needs time to see that the second rings, and to hang up.
    phones: { 1: phone.answers(), 2: phone.answers({ after: 2000 }) },
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersAttended(1, stage.extension(2));
      await stage.rings(2);
      await stage.hangsUp(1);
      await stage.talk(call, 2);
    },
  }),
  called({
    name: 'blonde-transfer-unanswered',
    says: 'The same, but the second does not answer: it rings at the first again.',
    dialplan: transferable,
    phones: { 1: phone.answers(), 2: phone.rings() },
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.transfersAttended(1, stage.extension(2));
      await stage.rings(2);
      await stage.hangsUp(1);
      await stage.talk(call, 1);
    },
  }),
  called({
    name: 'transfer-to-queue',
    says: 'An extension hands the caller to a queue; a member takes the call there.',
    dialplan: ['Dial(PJSIP/{P}3,20,tT)'],
    phones: { 1: phone.rings(), 2: phone.answers({ after: 500 }), 3: phone.answers() },
    async happens(stage, call) {
      await stage.talk(call, 3);
      await stage.transfersBlind(3, `${stage.office.number}080`);
      await stage.talk(call, 2);
    },
    reported: [{ answeredBy: 3 }],
  }),
  called({
    name: 'redirect',
    says: 'A switchboard program (AMI Redirect) moves the caller in mid-talk to the second extension.',
    who: { rang: [1, 2], talked: [1, 2] },
    phones: twoPhones,
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.redirects(call, stage.extension(2));
      await stage.talk(call, 2);
    },
  }),
  {
    name: 'redirect-both',
    says: 'A switchboard program moves the caller and the extension, in mid-talk, into a conference.',
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.redirects(call, `${stage.office.number}070`, 1);
      // Until both have left the bridge of their talk and are in the conference.
      await stage.pause(700);
      await stage.talk(call, 1);
      call.hangsUp();
      await stage.pause(200);
      await stage.hangsUp(1);
    },
    reported: [{ answeredBy: 1 }],
  },
  called({
    name: 'redirect-while-ringing',
    says: 'A switchboard program moves the caller to the second extension while the first rings.',
    phones: { 1: phone.rings(), 2: phone.answers() },
    async happens(stage, call) {
      await stage.rings(1);
      await stage.redirects(call, stage.extension(2));
      await stage.talk(call, 2);
    },
    reported: [{ answeredBy: 2 }],
  }),
];

/** The caller is handed on at the far end, whose provider or PBX replaces the call: the person here talks on. */
export const replacedRows: readonly Row[] = [
  {
    name: 'caller-replaced',
    says: "The first extension talks with the caller; somebody else at the far end takes the caller's place (INVITE with Replaces).",
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      const other = await stage.isReplaced(call, colleague);
      await stage.talk(other, 1);
      other.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
    unreported: 1,
    fromRecords: {
      why: 'no record says that one channel has taken the place of the other',
      reported: [{ answeredBy: 1 }, { from: colleague, answeredBy: 1 }],
    },
  },
];

/** The first caller reaches the first extension, the second caller the second one. */
const oneEach = ['Set(GROUP()=joined-{O})', 'Dial(PJSIP/{P}{GROUP_COUNT(joined-{O})},20)'];
/** The first caller waits, the second reaches the first extension. */
const firstWaits = [
  'Set(GROUP()=joined-{O})',
  'GotoIf($[{GROUP_COUNT(joined-{O})}>1]?dials)',
  'Answer()',
  'Set(GLOBAL(WAITING_{O})={CHANNEL})',
  'MusicOnHold()',
  'Hangup()',
  '(dials)Dial(PJSIP/{P}1,20,tT)',
];
/** A phone, or a switchboard program, joins two callers: the extension that talked with them has left. */
export const joinedRows: readonly Row[] = [
  {
    name: 'callers-joined-by-phone',
    says: 'One extension talks with two customers on two lines, and joins them by its transfer key (REFER with Replaces).',
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const first = await stage.customerCalls();
      await stage.talk(first, 1);
      const second = await stage.customerCalls();
      await stage.talk(second, 1);
      await stage.joinsCallers(second, first);
      await stage.talk(first, second);
      first.hangsUp();
    },
    reported: [{ answeredBy: 1 }, { answeredBy: 1 }],
  },
  {
    name: 'callers-joined-the-other-way',
    says: 'The same, but the first customer is handed on to the second, seconds later, and the second hangs up.',
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const first = await stage.customerCalls();
      await stage.talk(first, 1);
      // Records have whole seconds.
      await stage.pause(2_200);
      const second = await stage.customerCalls();
      await stage.talk(second, 1);
      await stage.pause(2_200);
      await stage.joinsCallers(first, second);
      await stage.talk(first, second);
      await stage.pause(2_200);
      second.hangsUp();
    },
    reported: [{ answeredBy: 1 }, { answeredBy: 1 }],
  },
  {
    name: 'callers-joined-by-program',
    says: 'Two customers talk with an extension each; a switchboard program connects the two (AMI Bridge).',
    dialplan: oneEach,
    phones: { 1: phone.answers(), 2: phone.answers() },
    async play(stage) {
      const first = await stage.customerCalls();
      await stage.talk(first, 1);
      const second = await stage.customerCalls();
      await stage.talk(second, 2);
      await stage.connects(first, second);
      await stage.talk(first, second);
      await stage.pause(1_200);
      second.hangsUp();
    },
    reported: [{ answeredBy: 1 }, { answeredBy: 2 }],
  },
  {
    name: 'waiting-caller-joined',
    says: 'One customer talks with an extension; a second, who waits for somebody, is connected with the first (AMI Bridge).',
    dialplan: [
      'Set(GROUP()=joined-{O})',
      'GotoIf($[{GROUP_COUNT(joined-{O})}>1]?waits)',
      'Dial(PJSIP/{P}1,20)',
      'Hangup()',
      '(waits)Answer()',
      'MusicOnHold()',
    ],
    phones: { 1: phone.answers() },
    async play(stage) {
      const first = await stage.customerCalls();
      await stage.talk(first, 1);
      const second = await stage.customerCalls();
      await stage.reaches(second, 'MusicOnHold');
      await stage.pause(2_200);
      await stage.connects(first, second);
      await stage.talk(first, second);
      await stage.pause(1_200);
      first.hangsUp();
      await stage.pause(300);
      second.hangsUp();
    },
    reported: [{ answeredBy: 1 }, {}],
  },
  {
    name: 'waiting-caller-fetched-and-joined',
    says: 'A customer waits; an extension, who talks with another, fetches the one who waits in a consultation, and joins the two.',
    dialplan: firstWaits,
    phones: { 1: phone.answers() },
    async play(stage) {
      const waiting = await stage.customerCalls();
      await stage.reaches(waiting, 'MusicOnHold');
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.pause(2_200);
      await stage.transfersAttended(1, `${stage.office.number}073`);
      await stage.talk(1, waiting);
      await stage.hangsUp(1);
      await stage.talk(call, waiting);
      await stage.pause(1_200);
      call.hangsUp();
    },
    reported: [{ answeredBy: 1 }, { answeredBy: 1 }],
  },
  {
    name: 'transferred-caller-joined',
    says: 'One customer talks with an extension; a later one, handed on to the third, is connected with the first.',
    dialplan: oneEach,
    phones: { 1: phone.answers(), 2: phone.answers(), 3: phone.answers() },
    async play(stage) {
      const first = await stage.customerCalls();
      await stage.talk(first, 1);
      await stage.pause(2_200);
      const second = await stage.customerCalls();
      await stage.talk(second, 2);
      await stage.refers(2, stage.extension(3));
      await stage.talk(second, 3);
      // Records have whole seconds.
      await stage.pause(2_200);
      await stage.connects(first, second);
      await stage.talk(first, second);
      await stage.pause(1_200);
      first.hangsUp();
      await stage.pause(300);
      second.hangsUp();
    },
    reported: [{ answeredBy: 1 }, { answeredBy: 2 }],
  },
  {
    name: 'transferred-caller-dials-bridge',
    says: 'A customer waits; another one is handed on by the first extension to a number that connects the two (Bridge).',
    dialplan: firstWaits,
    phones: { 1: phone.answers() },
    async play(stage) {
      const waiting = await stage.customerCalls();
      await stage.reaches(waiting, 'MusicOnHold');
      await stage.pause(1_200);
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.pause(1_200);
      await stage.refers(1, `${stage.office.number}073`);
      await stage.talk(call, waiting);
      await stage.pause(1_200);
      call.hangsUp();
    },
    reported: [{}, { answeredBy: 1 }],
  },
];

const replacedLeg = 'no record says that the new channel has taken the place of the one that was dialled';
/** The same on a line that the PBX has dialled itself: nobody calls in. */
export const replacedLegRows: readonly Row[] = [
  {
    name: 'called-replaced',
    says: 'An extension calls the outside world; somebody else at the far end takes the place of who was called (INVITE with Replaces).',
    dialplan: ['Answer()', 'Wait(5)'],
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.phoneDials(1, stage.mobile);
      await stage.talk(call, 'mobile');
      const other = await stage.isReplaced('mobile', colleague);
      await stage.talk(call, other);
      call.hangsUp();
    },
    reported: [],
    unreported: 1,
    fromRecords: { why: replacedLeg, reported: [{ from: colleague, answeredBy: 'trunk' }] },
  },
  {
    name: 'mobile-replaced',
    says: "A mobile takes the caller's call; somebody else at the mobile's end takes its place.",
    who: { rang: ['mobile'], talked: ['mobile'] },
    dialplan: ['Dial({MOBILE_{O}},20)'],
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 'mobile');
      const other = await stage.isReplaced('mobile', colleague);
      await stage.talk(call, other);
      call.hangsUp();
    },
    reported: [{ answeredBy: 'mobile' }],
    unreported: 1,
    fromRecords: {
      why: replacedLeg,
      reported: [{ answeredBy: 'mobile' }, { from: colleague, answeredBy: 'trunk' }],
    },
  },
];

/** Whose phone rings for the caller, where the Linkedid of its channel is that of another call. */
export const handedOnRows: readonly Row[] = [
  {
    name: 'handed-on-by-colleague-of-older-call',
    says: 'Two colleagues talk; one takes a customer, and joins the two; the other hands the customer to the third extension.',
    who: { rang: [1, 3], talked: [1, 2, 3] },
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers(), 3: phone.answers({ after: 2_000 }) },
    async play(stage) {
      const colleague = await stage.phoneDials(2, stage.extension(1));
      await stage.talk(colleague, 1);
      // Asterisk takes the Linkedid of the channel that is older by a second.
      await stage.pause(1_200);
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.joinsCallers(call, colleague);
      await stage.talk(call, colleague);
      await stage.refers(colleague, stage.extension(3));
      await stage.talk(call, 3);
      call.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
  },
  {
    name: 'handed-on-by-agent',
    says: 'An agent, who has logged in before (AgentLogin), gets the caller, and hands the call to the second extension.',
    who: { rang: [2], talked: [1, 2] },
    dialplan: ['Answer()', 'AgentRequest({O}00)'],
    phones: { 2: phone.answers({ after: 2_000 }) },
    async play(stage) {
      const agent = await stage.phoneDials(1, `${stage.office.number}074`);
      await stage.reaches(agent, 'AgentLogin');
      // An agent is on probation for 5 s.
      await stage.pause(7_000);
      const call = await stage.customerCalls();
      await stage.talk(call, agent);
      await stage.refers(agent, stage.extension(2));
      await stage.talk(call, 2);
      call.hangsUp();
      await stage.pause(300);
      agent.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
    fromRecords: {
      why: "the agent's record names the caller as whom the agent has called, and the caller's own has the context of the transfer",
      reported: [],
    },
  },
  called({
    name: 'second-line-rings',
    says: 'The first phone calls the second on its other line, and hands the caller on while that rings; the second answers.',
    who: { rang: [1, 2], talked: [1, 2] },
    phones: { 1: phone.answers(), 2: phone.answers({ after: 4_000 }) },
    async happens(stage, call) {
      await stage.talk(call, 1);
      const asks = await stage.phoneDials(1, stage.extension(2));
      await stage.rings(2);
      await stage.refers(1, asks);
      await stage.talk(call, 2);
    },
  }),
  called({
    name: 'second-line-unanswered',
    says: 'The same, but nobody answers at the second, and the caller gives up.',
    who: { rang: [1, 2], talked: [1] },
    phones: { 1: phone.answers(), 2: phone.rings() },
    async happens(stage, call) {
      await stage.talk(call, 1);
      const asks = await stage.phoneDials(1, stage.extension(2));
      await stage.rings(2);
      await stage.refers(1, asks);
      await stage.pause(1_500);
    },
  }),
  called({
    name: 'second-line-queue',
    says: 'The first phone calls the queue on its other line, and hands the caller on while that rings; the second answers.',
    who: { rang: [1, 2], talked: [1, 2] },
    phones: { 1: phone.answers(), 2: phone.answers({ after: 4_000 }) },
    async happens(stage, call) {
      await stage.talk(call, 1);
      const asks = await stage.phoneDials(1, `${stage.office.number}081`);
      await stage.rings(2);
      await stage.refers(1, asks);
      await stage.talk(call, 2);
    },
  }),
  called({
    name: 'second-line-answered',
    says: 'The first phone calls the second on its other line, talks with it, and comes back to the caller.',
    who: { rang: [1], talked: [1] },
    phones: twoPhones,
    async happens(stage, call) {
      await stage.talk(call, 1);
      const asks = await stage.phoneDials(1, stage.extension(2));
      await stage.talk(asks, 2);
      asks.hangsUp();
      await stage.pause(300);
      await stage.talk(call, 1);
    },
  }),
];

/** Phones that do not say that they ring. */
export const silentRows: readonly Row[] = [
  called({
    name: 'phone-says-183',
    says: 'The phone says 183 and not 180 while it rings, and is picked up.',
    who: { rang: [1], talked: [1] },
    phones: { 1: phone.answers({ after: 2_500, says: '183 Session Progress' }) },
  }),
  called({
    name: 'phone-says-nothing',
    says: 'The phone says nothing while it rings, and is picked up.',
    who: { rang: [1], talked: [1] },
    phones: { 1: phone.answers({ after: 2_500, says: '100 Trying' }) },
  }),
  called({
    name: 'phone-says-183-unanswered',
    says: 'The phone says 183 and not 180 while it rings; the caller gives up.',
    who: { rang: [1], talked: [] },
    missed: { live: { where: 'ringing', name: '{1}', by: 'caller' } },
    phones: { 1: phone.rings({ says: '183 Session Progress' }) },
    async happens(stage) {
      await stage.pause(2_500);
    },
    reported: [{}],
  }),
  called({
    name: 'phone-busy-at-once',
    says: 'The first extension is busy; the second answers.',
    who: { rang: [2], talked: [2] },
    dialplan: ['Dial(PJSIP/{P}1,20)', 'Dial(PJSIP/{P}2,20)'],
    phones: { 1: phone.busy(), 2: phone.answers() },
    reported: [{ answeredBy: 2 }],
  }),
];

/** Conferences that the caller reaches through another channel. */
export const ledRows: readonly Row[] = [
  {
    name: 'conference-by-local-channel',
    says: 'A Local channel leads the caller to a conference in which the first phone is.',
    dialplan: ['Dial(Local/{O}070@from-internal/n,20)'],
    phones: {},
    async play(stage) {
      const own = await stage.phoneDials(1, `${stage.office.number}070`);
      await stage.isUp(own);
      const call = await stage.customerCalls();
      await stage.pause(2_000);
      call.hangsUp();
      await stage.pause(500);
      own.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
  },
];
