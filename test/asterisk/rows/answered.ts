import type { Row } from '../../tools/lab/row.ts';
import { pause, phone, presses, reinvites } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

/** Calls to one extension, and what can happen before and during the talk. */
export const answeredRows: readonly Row[] = [
  called({
    name: 'extension-caller-hangs-up',
    says: 'An extension answers; the caller hangs up.',
  }),
  {
    name: 'extension-agent-hangs-up',
    says: 'An extension answers; the agent hangs up.',
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers() },
    async play(stage) {
      await stage.talk(await stage.customerCalls(), 1);
      await stage.hangsUp(1);
    },
    reported: [{ answeredBy: 1 }],
  },
  called({
    name: 'announcement-then-extension',
    says: 'The PBX answers and plays an announcement, then an extension takes the call.',
    dialplan: ['Answer()', 'Playback(digits/1)', 'Dial(PJSIP/{P}1,20)'],
  }),
  called({
    name: 'menu-then-extension',
    says: 'The caller presses 2 in a menu and gets the second extension.',
    dialplan: ['Answer()', 'Read(KEY,,1,,1,3)', 'Dial(PJSIP/{P}{KEY},20)'],
    phones: { 2: phone.answers() },
    caller: { first: [pause(300), presses('2', 'caller')] },
    reported: [{ answeredBy: 2 }],
  }),
  called({
    name: 'hold',
    says: 'The agent puts the caller on hold and takes the call back.',
    who: { rang: [1], talked: [1] },
    phones: {
      1: phone.answers({
        first: [pause(400), reinvites('sendonly', 'phone'), pause(500), reinvites('sendrecv', 'phone')],
      }),
    },
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.pause(1200);
    },
  }),
  called({
    name: 'overflow',
    says: 'The first extension does not answer, the second does.',
    dialplan: ['Dial(PJSIP/{P}1,1)', 'Dial(PJSIP/{P}2,20)'],
    phones: { 1: phone.rings(), 2: phone.answers() },
    reported: [{ answeredBy: 2 }],
  }),
  called({
    name: 'survey-after-call',
    says: 'The agent hangs up; the caller stays for a recorded question, and then hangs up.',
    dialplan: ['Dial(PJSIP/{P}1,20,g)', 'Read(KEY,digits/1,1,,1,3)'],
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.hangsUp(1);
      await stage.reaches(call, 'Read');
      await stage.pause(300);
    },
  }),
  called({
    name: 'reception',
    says: 'The reception answers; its phone shows another number than its own.',
    dialplan: ['Dial(PJSIP/{P}5,20)'],
    phones: { 5: phone.answers() },
    reported: [{ answeredBy: 5 }],
  }),
  called({
    name: 'reception-by-callerid',
    says: 'The same, for somebody who wants the number that is shown (ANSWERED_BY=callerid).',
    dialplan: ['Dial(PJSIP/{P}5,20)'],
    phones: { 5: phone.answers() },
    reported: [{ answeredBy: 'reception' }],
    fromRecords: { why: 'a record has no caller id of the other end', reported: [{ answeredBy: 5 }] },
    settings: { ANSWERED_BY: 'callerid' },
  }),
  called({
    name: 'inbound-by-channel',
    says: 'The trunk is known by the name of its channels, not by its context; a forward goes out over it again.',
    dialplan: ['Dial(PJSIP/{P}1,1)', 'Dial(Local/+4917139200{O}1@from-internal/n,20)'],
    phones: { 1: phone.rings() },
    mobile: phone.answers(),
    reported: [{ answeredBy: 'mobile' }],
    // marker-*: the call that every replay of a recording ends with (test/tools/program/stand.ts).
    settings: { INBOUND_CONTEXTS: 'no-such-context', INBOUND_CHANNELS: 'PJSIP/trunk-*,PJSIP/marker-*' },
  }),
  {
    name: 'two-calls-same-number',
    says: 'One number calls twice at once; two extensions answer.',
    dialplan: ['Set(GROUP()=office-{O})', 'Dial(PJSIP/{P}{GROUP_COUNT(office-{O})},20)'],
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
    reported: [{ answeredBy: 1 }, { answeredBy: 2 }],
  },
  called({
    name: 'chan-sip-trunk',
    says: 'The call comes in over chan_sip, where a new channel is Down before it is Ring.',
    caller: { chanSip: true },
    only: '16',
  }),
];
