import type { Row } from '../row.ts';
import { pause, phone, presses, reinvites } from '../sip-script.ts';

/** Calls to one extension, and what can happen before and during the talk. */
export const answeredRows: readonly Row[] = [
  {
    name: 'extension-caller-hangs-up',
    says: 'An extension answers; the caller hangs up.',
    dialplan: ['Dial(PJSIP/{P}1,4)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      call.hangsUp();
    },
    told: [{ answeredBy: 1 }],
  },
  {
    name: 'extension-agent-hangs-up',
    says: 'An extension answers; the agent hangs up.',
    dialplan: ['Dial(PJSIP/{P}1,4)'],
    phones: { 1: phone.answersAndHangsUp({ talk: 600 }) },
    async play(stage) {
      await stage.talk(await stage.customerCalls(), 1);
    },
    told: [{ answeredBy: 1 }],
  },
  {
    name: 'announcement-then-extension',
    says: 'The PBX answers and plays an announcement, then an extension takes the call.',
    dialplan: ['Answer()', 'Playback(digits/1)', 'Dial(PJSIP/{P}1,4)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      call.hangsUp();
    },
    told: [{ answeredBy: 1 }],
  },
  {
    name: 'menu-then-extension',
    says: 'The caller presses 2 in a menu and gets the second extension.',
    dialplan: ['Answer()', 'Read(KEY,,1,,1,3)', 'Dial(PJSIP/{P}{KEY},4)'],
    phones: { 2: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls({ talking: [pause(300), presses('2', 'caller')] });
      await stage.talk(call, 2);
      call.hangsUp();
    },
    told: [{ answeredBy: 2 }],
  },
  {
    name: 'hold',
    says: 'The agent puts the caller on hold and takes the call back.',
    dialplan: ['Dial(PJSIP/{P}1,4)'],
    phones: {
      1: phone.answers({
        talking: [pause(400), reinvites('sendonly', 'phone'), pause(500), reinvites('sendrecv', 'phone')],
      }),
    },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.pause(1200);
      call.hangsUp();
    },
    told: [{ answeredBy: 1 }],
  },
  {
    name: 'two-calls-same-number',
    says: 'One number calls twice at once; two extensions answer.',
    dialplan: ['Set(GROUP()=office-{O})', 'Dial(PJSIP/{P}{GROUP_COUNT(office-{O})},4)'],
    phones: { 1: phone.answers({ after: 800 }), 2: phone.answers({ after: 800 }) },
    async play(stage) {
      const first = await stage.customerCalls();
      const second = await stage.customerCalls();
      await stage.talk(first, 1);
      await stage.talk(second, 2);
      first.hangsUp();
      await stage.pause(200);
      second.hangsUp();
    },
    told: [{ answeredBy: 1 }, { answeredBy: 2 }],
  },
  {
    name: 'chan-sip-trunk',
    says: 'The call comes in over chan_sip, where a new channel is Down before it is Ring.',
    dialplan: ['Dial(PJSIP/{P}1,4)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls({ chanSip: true });
      await stage.talk(call, 1);
      call.hangsUp();
    },
    told: [{ answeredBy: 1 }],
    only: '16',
  },
];
