import { silentLog } from '../../shared/log/log.ts';
import { newEvent, resultOf } from './outbox.fixture.ts';
import { openOutbox } from './outbox.ts';

// A process to be killed: takes calls as fast as it can, delivers some, and prints the number of each call whose
// events are on disk. Arguments: the folder, the first number.

const [directory = '', first = '0'] = process.argv.slice(2);
const outbox = await openOutbox({ directory }, { log: silentLog });
await outbox.load();
let number = Number(first);
process.stdout.write('ready\n');

async function takeCalls(): Promise<never> {
  for (;;) {
    const mine = number++;
    const id = `call-${mine}`;
    const { nextEvents } = await outbox.append({
      calls: [{ id, state: `{"id":"${id}"}` }],
      trunks: [],
      events: [newEvent(id, 'ringing', mine), newEvent(id, 'completed', mine)],
    });
    process.stdout.write(`${mine}\n`);
    const [first] = nextEvents;
    if (first && mine % 3 !== 0) await outbox.record([resultOf(first.seq, id, { at: mine })]);
  }
}

await Promise.all(Array.from({ length: 20 }, takeCalls));
