import type { Row } from '../row.ts';
import { phone } from '../sip-script.ts';
import { called } from './called.ts';

/** Calls that no person answers. */
export const missedRows: readonly Row[] = [
  called({
    name: 'caller-gives-up',
    says: 'The caller gives up while the phone rings.',
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
