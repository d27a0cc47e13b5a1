import type { Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import { called } from './called.ts';

/** Ring groups, and Local channels as PBX distributions put them in between. */
export const groupRows: readonly Row[] = [
  called({
    name: 'ring-group-one-answers',
    says: 'Three phones ring, the second answers.',
    who: { rang: [1, 2, 3], talked: [2] },
    dialplan: ['Dial(PJSIP/{P}1&PJSIP/{P}2&PJSIP/{P}3,20)'],
    phones: { 1: phone.rings(), 2: phone.answers({ after: 500 }), 3: phone.rings() },
    reported: [{ answeredBy: 2 }],
  }),
  {
    name: 'ring-group-nobody',
    says: 'Three phones ring, nobody answers.',
    who: { rang: [1, 2, 3], talked: [] },
    dialplan: ['Dial(PJSIP/{P}1&PJSIP/{P}2&PJSIP/{P}3,2)'],
    phones: { 1: phone.rings(), 2: phone.rings(), 3: phone.rings() },
    async play(stage) {
      await stage.customerCalls();
    },
    reported: [{}],
    missed: { live: { where: 'ringing', by: 'pbx' } },
  },
  called({
    name: 'ring-group-local',
    says: 'A ring group of Local channels, as FreePBX builds it; the second phone answers.',
    who: { rang: [1, 2], talked: [2] },
    dialplan: ['Dial(Local/{P}1@from-internal/n&Local/{P}2@from-internal/n,20)'],
    phones: { 1: phone.rings(), 2: phone.answers({ after: 500 }) },
    reported: [{ answeredBy: 2 }],
  }),
  called({
    name: 'ring-group-local-given-up',
    says: 'The same group; the caller gives up.',
    dialplan: ['Dial(Local/{P}1@from-internal/n&Local/{P}2@from-internal/n,20)'],
    phones: { 1: phone.rings(), 2: phone.rings() },
    async happens(stage) {
      await stage.rings(2);
    },
    reported: [{}],
    missed: { live: { where: 'ringing', by: 'caller' } },
  }),
  ...[
    {
      name: 'local-optimised',
      says: 'over a Local channel that goes away when they talk',
      target: 'from-internal',
    },
    { name: 'local-kept', says: 'over a Local channel that stays (/n)', target: 'from-internal/n' },
    { name: 'local-two-deep', says: 'over two Local channels that go away', target: 'two-deep' },
    {
      name: 'local-two-deep-kept',
      says: 'over two Local channels that stay (/n)',
      target: 'two-deep-kept/n',
    },
  ].map(
    ({ name, says, target }): Row => ({
      name,
      says: `An extension answers, ${says}.`,
      dialplan: [`Dial(Local/{P}1@${target},20)`],
      phones: { 1: phone.answers() },
      async play(stage) {
        const call = await stage.customerCalls();
        await stage.talk(call, 1);
        await stage.pause(500);
        call.hangsUp();
      },
      reported: [{ answeredBy: 1 }],
    }),
  ),
];
