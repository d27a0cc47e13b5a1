import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';

/** Calls that a person answers at a device of another name than the extension (DEVICE_NAMES). */
export const deviceRows: readonly Row[] = [
  {
    name: 'second-device',
    says: 'A second device answers; its name has the extension of its person in it.',
    dialplan: ['Dial(PJSIP/{P}1&PJSIP/{P}2,20)'],
    phones: { 1: phone.rings(), 2: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 2);
      call.hangsUp();
    },
    reported: [{ answeredBy: 7 }],
    settings: { DEVICE_NAMES: 'PJSIP/*2=*7' },
  },
];
