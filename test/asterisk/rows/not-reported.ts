import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';

/** Calls to somebody who waits for a call back. */
export const callBackRows: readonly Row[] = [
  {
    name: 'call-back-talked',
    says: 'An extension calls somebody back over the trunk, and they talk.',
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.phoneDials(1, stage.mobile);
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    callBacks: { told: [{ reached: true, by: 1 }] },
    reported: [],
  },
  {
    name: 'call-back-not-reached',
    says: 'An extension calls somebody back, and gives up while it rings.',
    mobile: phone.rings(),
    async play(stage) {
      const call = await stage.phoneDials(1, stage.mobile);
      await stage.rings('mobile');
      call.hangsUp();
    },
    callBacks: { told: [{ reached: false, by: 1 }] },
    reported: [],
  },
  {
    name: 'call-back-by-a-program',
    says: 'A program rings the extension, then calls somebody back.',
    phones: { 1: phone.answers() },
    mobile: phone.answers(),
    async play(stage) {
      await stage.originates({
        Channel: `PJSIP/${stage.extension(1)}`,
        Exten: stage.mobile,
        Context: 'from-internal',
        Priority: '1',
      });
      await stage.talk(1, 'mobile');
      await stage.hangsUp(1);
    },
    callBacks: { told: [{ reached: true, by: 1 }] },
    reported: [],
  },
  {
    name: 'call-back-customer-first',
    says: 'A program calls somebody back over the trunk, then rings the extension.',
    phones: { 1: phone.answers() },
    mobile: phone.answers(),
    async play(stage) {
      await stage.originates({
        Channel: stage.mobileOverTrunk,
        Exten: stage.extension(1),
        Context: 'from-internal',
        Priority: '1',
      });
      await stage.talk('mobile', 1);
      await stage.hangsUp('mobile');
    },
    callBacks: { told: [{ reached: true, by: 1 }] },
    reported: [],
  },
  {
    name: 'call-back-of-nobody',
    says: 'An extension calls a number that does not wait for a call back: nothing is told.',
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.phoneDials(1, stage.mobile);
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    callBacks: { doesNotWait: true, told: [] },
    reported: [],
  },
];

/** No inbound calls: the API names one direction. */
export const notReportedRows: readonly Row[] = [
  {
    name: 'extension-to-trunk',
    says: 'An extension calls the outside world.',
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.phoneDials(1, stage.mobile);
      await stage.talk(call, 'mobile');
      call.hangsUp();
    },
    reported: [],
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
    reported: [],
  },
  {
    name: 'click-to-call-extension-first',
    says: 'A program rings the extension, then calls the customer.',
    phones: { 1: phone.answers() },
    mobile: phone.answers(),
    async play(stage) {
      await stage.originates({
        Channel: `PJSIP/${stage.extension(1)}`,
        Exten: stage.mobile,
        Context: 'from-internal',
        Priority: '1',
      });
      await stage.talk(1, 'mobile');
      await stage.hangsUp(1);
    },
    reported: [],
  },
  {
    name: 'click-to-call-customer-first',
    says: 'A program calls the customer over the trunk, then rings the extension.',
    phones: { 1: phone.answers() },
    mobile: phone.answers(),
    async play(stage) {
      await stage.originates({
        Channel: stage.mobileOverTrunk,
        Exten: stage.extension(1),
        Context: 'from-internal',
        Priority: '1',
      });
      await stage.talk('mobile', 1);
      await stage.hangsUp('mobile');
    },
    reported: [],
  },
  {
    name: 'click-to-call-local',
    says: 'A program calls the customer by way of a Local channel, then rings the extension.',
    phones: { 1: phone.answers() },
    mobile: phone.answers(),
    async play(stage) {
      await stage.originates({
        Channel: `Local/${stage.mobile}@from-internal`,
        Exten: stage.extension(1),
        Context: 'from-internal',
        Priority: '1',
      });
      await stage.talk('mobile', 1);
      await stage.hangsUp('mobile');
    },
    reported: [],
  },
];

/** Outgoing calls whose callee goes on without the phone that called. */
export const movedOnRows: readonly Row[] = [
  {
    name: 'extension-to-trunk-parked',
    says: 'An extension calls the outside world, and parks the callee, who hangs up there.',
    mobile: phone.answers(),
    async play(stage) {
      const call = await stage.phoneDials(1, stage.mobile);
      await stage.talk(call, 'mobile');
      await stage.parks(1);
      await stage.pause(1_000);
      call.hangsUp();
      await stage.pause(300);
      await stage.hangsUp('mobile');
    },
    reported: [],
  },
];
