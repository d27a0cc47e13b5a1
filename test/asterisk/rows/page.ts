import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';

/** The phones answer by themselves, and nobody has picked one up. */
function paged(name: string, says: string, dialplan: readonly string[]): Row {
  return {
    name,
    says,
    dialplan,
    // Records have whole seconds.
    phones: { 1: phone.answers(), 2: phone.answers({ after: 1_800 }) },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.talk(call, 2);
      call.hangsUp();
    },
    reported: [{}],
    who: { rang: [], talked: [] },
    fromRecords: {
      why: 'the records are those of a conference that phones have joined',
      reported: [{ answeredBy: 1 }],
    },
  };
}

/** Calls that reach Page(), and what looks like it. */
export const pageRows: readonly Row[] = [
  paged('page', 'The caller speaks to the phones, which answer by themselves (Page).', [
    'Answer()',
    'Page(PJSIP/{P}1&PJSIP/{P}2,q)',
  ]),
  paged('page-duplex', 'The same, and the phones may speak too.', ['Page(PJSIP/{P}1&PJSIP/{P}2,dq)']),
  paged('page-local', 'The same over Local channels, as FreePBX pages.', [
    'Answer()',
    'Page(Local/{P}1@from-internal&Local/{P}2@from-internal,q)',
  ]),
  {
    name: 'conference-invited',
    says: 'A program (ARI) calls an extension for the caller, who waits in a conference, and sends it there: it is picked up.',
    dialplan: ['Answer()', 'ConfBridge(office-{O})'],
    phones: { 1: phone.answers() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, 'ConfBridge');
      await stage.invites(1, call, `${stage.office.number}070`);
      await stage.talk(call, 1);
      call.hangsUp();
      await stage.pause(300);
      await stage.hangsUp(1);
    },
    reported: [{ answeredBy: 1 }],
  },
];

/** Key systems: each phone has a key for each line of the office. 16 has them by MeetMe, which wants a driver in the kernel. */
export const keySystemRows: readonly Row[] = [
  {
    name: 'key-system',
    says: 'A call rings at all phones of a key system (SLATrunk); one is picked up.',
    dialplan: ['SLATrunk(line{O})'],
    only: '22',
    phones: { 1: phone.answers({ after: 800 }), 2: phone.rings() },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.isUp(1);
      await stage.pause(2_000);
      call.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
  },
];
