import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

/** Queues: the PBX answers at once, but a person only later, or never. */
export const queueRows: readonly Row[] = [
  ...['phones', 'local'].flatMap((members): Row[] => [
    called({
      name: `queue-${members}-ringall`,
      says: `A queue rings all its members (${members}) at once; the first answers.`,
      dialplan: ['Answer()', `Queue(${members}-ringall-{O},,,,20)`],
      phones: { 1: phone.answers({ after: 500 }), 2: phone.rings() },
    }),
    called({
      name: `queue-${members}-one-by-one`,
      says: `A queue rings its members (${members}) one by one; the first lets it ring, the second answers.`,
      dialplan: ['Answer()', `Queue(${members}-linear-{O},,,,20)`],
      phones: { 1: phone.rings(), 2: phone.answers() },
      reported: [{ answeredBy: 2 }],
    }),
  ]),
  called({
    name: 'queue-given-up',
    says: 'The caller hangs up while waiting in the queue.',
    dialplan: ['Answer()', 'Queue(phones-ringall-{O},,,,20)'],
    phones: { 1: phone.rings(), 2: phone.rings() },
    async happens(stage) {
      await stage.rings(1);
    },
    reported: [{}],
    missed: {
      live: { where: 'queue', by: 'caller' },
      records: { where: 'queue', name: 'phones-ringall-{O}' },
    },
  }),
  called({
    name: 'queue-timeout-voicemail',
    says: 'Nobody in the queue answers; after a while the caller gets the mailbox.',
    dialplan: ['Answer()', 'Queue(phones-ringall-{O},,,,1)', 'VoiceMail({P}0,s)'],
    phones: { 1: phone.rings(), 2: phone.rings() },
    async happens(stage, call) {
      await stage.reaches(call, 'VoiceMail');
      await stage.pause(800);
    },
    reported: [{}],
    missed: { live: { where: 'voicemail', by: 'caller' }, records: { where: 'voicemail', name: '{O}000' } },
  }),
];

/** Callers who leave a queue by pressing a key, for which the queue has a context of its own. */
export const queueExitRows: readonly Row[] = [
  called({
    name: 'queue-exit-voicemail',
    says: 'The caller presses 1 while waiting in the queue, gets the mailbox and leaves a message.',
    dialplan: ['Answer()', 'Queue(phones-ringall-{O},,,,20)'],
    phones: { 1: phone.rings(), 2: phone.rings() },
    async happens(stage, call) {
      await stage.rings(1);
      await stage.presses(call, '1');
      await stage.reaches(call, 'VoiceMail');
      await stage.pause(1000);
    },
    reported: [{}],
    missed: { live: { where: 'voicemail', by: 'caller' }, records: { where: 'voicemail', name: '{O}000' } },
  }),
];
