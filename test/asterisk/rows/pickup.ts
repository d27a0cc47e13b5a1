import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import type { Stage } from '../../tools/lab/stage.ts';
import { called } from './called.ts';

/** Calls that are taken from another place than where they rang or were answered. */
export const pickupRows: readonly Row[] = [
  called({
    name: 'pickup',
    says: "The first extension rings; the second picks the group's call up with *8.",
    who: { rang: [1], talked: [2] },
    phones: { 1: phone.rings() },
    async happens(stage, call) {
      await stage.rings(1);
      await stage.picksUp(2, '*8', call);
    },
    reported: [{ answeredBy: 2 }],
  }),
  called({
    name: 'directed-pickup',
    says: "The first extension rings; the second picks that phone's call up by number.",
    who: { rang: [1], talked: [2] },
    phones: { 1: phone.rings() },
    async happens(stage, call) {
      await stage.rings(1);
      await stage.picksUp(2, `**${stage.extension(1)}`, call);
    },
    reported: [{ answeredBy: 2 }],
  }),
  called({
    name: 'pickup-from-queue',
    says: "A queue's members ring; a phone outside the queue picks the call up.",
    dialplan: ['Answer()', 'Queue(phones-ringall-{O},,,,20)'],
    phones: { 1: phone.rings(), 2: phone.rings() },
    async happens(stage, call) {
      await stage.rings(1);
      await stage.picksUp(3, '*8', call);
    },
    reported: [{ answeredBy: 3 }],
  }),
  called({
    name: 'park-and-retrieve',
    says: 'The first extension parks the caller, the second takes the call back.',
    who: { rang: [1], talked: [1, 2] },
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.parks(1);
      const second = await stage.phoneDials(2, await stage.isParked(call));
      await stage.talk(call, second);
    },
  }),
  called({
    name: 'park-by-transfer',
    says: 'The first phone transfers the caller to the parking number; the second takes the call back.',
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.refers(1, `${stage.office.number}700`);
      const second = await stage.phoneDials(2, await stage.isParked(call));
      await stage.talk(call, second);
    },
  }),
  called({
    name: 'park-times-out',
    says: 'The first extension parks the caller, nobody comes, and it rings there again.',
    who: { rang: [1], talked: [1, 1] },
    async happens(stage, call) {
      await stage.talk(call, 1);
      await stage.parks(1);
      await stage.isParked(call);
      await stage.talk(call, 1);
    },
  }),
  {
    name: 'conference-joined',
    says: 'The caller waits in a conference; an extension joins.',
    who: { rang: [], talked: [1] },
    dialplan: ['Answer()', 'ConfBridge(office-{O})'],
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, 'ConfBridge');
      await stage.pause(300);
      const host = await stage.phoneDials(1, `${stage.office.number}070`);
      await stage.talk(call, host);
      call.hangsUp();
      await stage.pause(200);
      host.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
  },
];

const queueAll = ['Answer()', 'Queue(phones-ringall-{O},,,,20)'];
/** A phone rings for a caller whom the dialplan has answered before, and another phone takes the call. */
const taken = (
  name: string,
  says: string,
  key: (stage: Stage) => string,
  dialplan: readonly string[],
  by = 2,
) =>
  called({
    name,
    says,
    dialplan,
    phones: { 1: phone.rings(), ...(dialplan === queueAll && { 2: phone.rings() }) },
    async happens(stage, call) {
      await stage.rings(1);
      // Records have whole seconds.
      await stage.pause(2_200);
      await stage.picksUp(by, key(stage), call);
    },
    reported: [{ answeredBy: by }],
  });
const ofGroup = () => '*8';
const ofFirst = (stage: Stage) => `**${stage.extension(1)}`;
const afterAnnouncement = ['Answer()', 'Playback(digits/1)', 'Dial(PJSIP/{P}1,20)'];

/** Who talked, where the records of a call say it by its times only, or not at all. */
export const takenRows: readonly Row[] = [
  taken(
    'pickup-after-announcement',
    "After an announcement the first extension rings; the second picks the group's call up.",
    ofGroup,
    afterAnnouncement,
  ),
  taken(
    'directed-pickup-after-announcement',
    "After an announcement the first extension rings; the second picks that phone's call up by number.",
    ofFirst,
    afterAnnouncement,
  ),
  taken(
    'directed-pickup-from-queue',
    "A queue's members ring; a phone outside the queue picks the call of one up by number.",
    ofFirst,
    queueAll,
    3,
  ),
  {
    name: 'bridge-to-waiting-caller',
    says: 'The caller hears music; an extension dials a number that connects it with the caller (Bridge).',
    dialplan: ['Answer()', 'Set(GLOBAL(WAITING_{O})={CHANNEL})', 'MusicOnHold()'],
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.reaches(call, 'MusicOnHold');
      const taker = await stage.phoneDials(1, `${stage.office.number}072`);
      await stage.talk(call, taker);
      call.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
  },
  {
    name: 'conference-with-host',
    says: 'An extension is in the conference already; the caller joins.',
    dialplan: ['Answer()', 'ConfBridge(office-{O})'],
    async play(stage) {
      const host = await stage.phoneDials(1, `${stage.office.number}070`);
      await stage.reaches(host, 'ConfBridge');
      await stage.pause(300);
      const call = await stage.customerCalls();
      await stage.talk(call, host);
      call.hangsUp();
      await stage.pause(200);
      host.hangsUp();
    },
    reported: [{ answeredBy: 1 }],
  },
];
