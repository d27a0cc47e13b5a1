import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';

/** Calls that a machine with an endpoint of its own answers: a bot, a fax or voicemail server (NOT_A_PERSON). */
export const machineRows: readonly Row[] = [
  {
    name: 'bot-then-person',
    says: 'A bot with an endpoint of its own answers and hands the caller to an extension (NOT_A_PERSON lists it).',
    who: { rang: [2], talked: [2] },
    dialplan: ['Dial(PJSIP/{P}1,20,g)', 'Dial(PJSIP/{P}2,20)'],
    phones: { 1: phone.answers(), 2: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.hangsUp(1);
      await stage.talk(call, 2);
      call.hangsUp();
    },
    reported: [{ answeredBy: 2 }],
    settings: { NOT_A_PERSON: '*SIP/+([0-9])1' },
  },
  {
    name: 'bot-then-nobody',
    says: 'A bot with an endpoint of its own answers; the caller hangs up before a person is reached.',
    dialplan: ['Dial(PJSIP/{P}1,20,g)', 'Dial(PJSIP/{P}2,20)'],
    phones: { 1: phone.answers(), 2: phone.rings() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.hangsUp(1);
      await stage.rings(2);
      call.hangsUp();
    },
    reported: [{ recordedAsAnswered: true }],
    settings: { NOT_A_PERSON: '*SIP/+([0-9])1' },
  },
];
