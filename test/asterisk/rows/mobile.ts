import type { Row } from '../../tools/lab/row.ts';
import { pause, phone, presses } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

const toMobile = 'Local/+4917139200{O}1@from-internal/n';

/** Calls that go out again over the trunk, to a mobile. The leg that goes out is no inbound call. */
export const mobileRows: readonly Row[] = [
  called({
    name: 'follow-me-mobile',
    says: 'The extension does not answer; the mobile does.',
    dialplan: ['Dial(PJSIP/{P}1,1)', `Dial(${toMobile},20)`],
    phones: { 1: phone.rings() },
    mobile: phone.answers(),
    reported: [{ answeredBy: 'mobile' }],
  }),
  called({
    name: 'ring-group-with-mobile',
    says: 'A phone and a mobile ring together; the phone answers.',
    who: { rang: [1, 'mobile'], talked: [1] },
    dialplan: [`Dial(PJSIP/{P}1&${toMobile},20)`],
    phones: { 1: phone.answers({ after: 600 }) },
    mobile: phone.rings(),
  }),
  called({
    name: 'forwarded-by-phone',
    says: 'The phone forwards its calls to the mobile (302); the mobile answers.',
    phones: { 1: phone.forwards() },
    mobile: phone.answers(),
    reported: [{ answeredBy: 'mobile' }],
  }),
  {
    name: 'forwarded-unanswered',
    says: 'The phone forwards its calls to the mobile (302); nobody answers there.',
    dialplan: ['Dial(PJSIP/{P}1,2)'],
    phones: { 1: phone.forwards() },
    mobile: phone.rings(),
    async play(stage) {
      await stage.customerCalls();
      await stage.rings('mobile');
    },
    reported: [{}],
  },
  {
    name: 'press-one-accepted',
    says: 'The mobile is asked to press 1, and does.',
    dialplan: [`Dial(${toMobile},6,U(press-one))`],
    mobile: phone.answers({ first: [pause(700), presses('1', 'phone')] }),
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    reported: [{ answeredBy: 'mobile' }],
  },
  {
    name: 'press-one-refused',
    says: 'The mobile is asked to press 1, but presses 2.',
    dialplan: [`Dial(${toMobile},6,U(press-one))`],
    mobile: phone.answers({ first: [pause(700), presses('2', 'phone')] }),
    async play(stage) {
      await stage.customerCalls();
      await stage.isUp('mobile');
    },
    reported: [{}],
  },
  {
    name: 'press-one-timed-out',
    says: 'The mobile (perhaps its mailbox) is asked to press 1, and says nothing.',
    dialplan: [`Dial(${toMobile},6,U(press-one))`],
    mobile: phone.answers(),
    async play(stage) {
      await stage.customerCalls();
      await stage.isUp('mobile');
    },
    reported: [{}],
  },
  {
    name: 'press-one-given-up',
    says: 'The caller hangs up while the mobile is being asked to press 1.',
    dialplan: [`Dial(${toMobile},6,U(press-one))`],
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.isUp('mobile');
      await stage.pause(300);
      call.hangsUp();
    },
    reported: [{}],
  },
  {
    name: 'press-one-direct',
    says: 'The same without a Local channel: the trunk is dialled, asked, and takes the call.',
    dialplan: ['Dial({MOBILE_{O}},6,U(press-one))'],
    mobile: phone.answers({ first: [pause(700), presses('1', 'phone')] }),
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    reported: [{ answeredBy: 'mobile' }],
  },
  {
    name: 'press-one-direct-refused',
    says: 'The same, but the mobile presses 2.',
    dialplan: ['Dial({MOBILE_{O}},6,U(press-one))'],
    mobile: phone.answers({ first: [pause(700), presses('2', 'phone')] }),
    async play(stage) {
      await stage.customerCalls();
      await stage.isUp('mobile');
    },
    reported: [{}],
  },
  {
    name: 'follow-me-app-accepted',
    says: "Asterisk's own FollowMe asks the mobile to press 1, and it does.",
    dialplan: ['Answer()', 'FollowMe(office-{O})'],
    mobile: phone.answers({ first: [pause(1500), presses('1', 'phone')] }),
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    reported: [{ answeredBy: 'mobile' }],
  },
];
