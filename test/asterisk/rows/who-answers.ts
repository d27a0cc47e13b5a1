import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

/** Who hears the caller, where several could be taken for it. */
export const whoAnswersRows: readonly Row[] = [
  {
    name: 'conference-leader-joins',
    says: 'Two customers wait in a conference for its leader, who joins from the first extension.',
    dialplan: ['Answer()', 'ConfBridge(leader-{O},,waiting_user)'],
    phones: { 1: phone.rings() },
    async play(stage) {
      const first = await stage.customerCalls();
      const second = await stage.customerCalls();
      await stage.reaches(first, 'ConfBridge');
      await stage.reaches(second, 'ConfBridge');
      await stage.pause(500);
      const leader = await stage.phoneDials(1, `${stage.office.number}071`);
      await stage.talk(first, leader);
      await stage.talk(second, leader);
      first.hangsUp();
      second.hangsUp();
      await stage.pause(300);
      leader.hangsUp();
    },
    reported: [{ answeredBy: 1 }, { answeredBy: 1 }],
  },
  {
    name: 'mobile-over-outgoing-trunk',
    says: 'A mobile answers over a trunk on which no call ever comes in.',
    dialplan: ['Dial(PJSIP/outgoing/{CUT(MOBILE_{O},/,3)},20)'],
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    reported: [{ answeredBy: 'mobile' }],
  },
  {
    name: 'conference-nobody-joins',
    says: 'Two customers wait in the same conference; nobody of the house joins, and they hang up.',
    dialplan: ['Answer()', 'ConfBridge(office-{O})'],
    async play(stage) {
      const first = await stage.customerCalls();
      const second = await stage.customerCalls();
      await stage.talk(first, second);
      await stage.pause(500);
      first.hangsUp();
      await stage.pause(300);
      second.hangsUp();
    },
    reported: [{}, {}],
  },
  called({
    name: 'stasis-given-up',
    says: 'A program (ARI) puts the phone into a bridge with the caller while it rings; the caller gives up.',
    dialplan: ['Stasis(early-bridging,PJSIP/{P}1)'],
    phones: { 1: phone.rings() },
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.pause(500);
    },
    reported: [{}],
  }),
  called({
    name: 'stasis-answered',
    says: 'The same, and the phone answers there.',
    dialplan: ['Stasis(early-bridging,PJSIP/{P}1)'],
    phones: { 1: phone.answers({ after: 800 }) },
    async happens(stage, call) {
      await stage.isUp(1);
      await stage.talk(call, 1);
    },
  }),
];
