import { batchOf, keepingLog } from './outbox.fixture.ts';
import { openOutbox } from './outbox.ts';

// A process whose fsyncs fail for a while: takes events one by one, and says what it logged and counted.

const [directory = ''] = process.argv.slice(2);
const appended = 80;
const log = keepingLog();
const outbox = await openOutbox({ directory }, { log });
for (let i = 0; i < appended; i++) await outbox.append(batchOf(`c${i}:ringing`));
const { queued } = await outbox.counters();
await outbox.close();
process.stdout.write(JSON.stringify({ lines: log.lines.map(({ code }) => code), queued, appended }));
