import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { person, visitor } from '../integration/people.ts';
import { event } from '../integration/service-harness.ts';
import { startWithBacklog } from '../integration/webhook-backlog.ts';
import { percentile, print } from './compare.ts';

/**
 * What a backlog of webhooks costs others, on SQLite: 25,000 events in each of ten webhooks, three of which fail, against the
 * same webhooks without them. How long a page of another account takes, a new call to a webhook that works, and SIGTERM.
 *
 * node test/bench/webhooks.ts [--tree OTHER] [--seconds 60]
 */
const { values } = parseArgs({
  options: { tree: { type: 'string' }, seconds: { type: 'string', default: '60' } },
});
const seconds = Number(values.seconds);

async function measure(filled: boolean): Promise<void> {
  const after: (() => unknown)[] = [];
  const t = { passed: true, after: (stop: () => unknown) => after.push(stop), diagnostic: print };
  const cli = values.tree && join(resolve(values.tree), 'src/cli.ts');
  const started = await startWithBacklog(t as unknown as TestContext, { filled, ...(cli && { cli }) });
  const { program, healthy, failing, accounts, ...served } = started;
  await person(served, { name: 'Ben', account: 'Beta' });
  const { cookie } = await visitor(served, 'Ben');
  const pages: number[] = [];
  const deliveries: number[] = [];
  let refused = 0;
  const end = performance.now() + seconds * 1000;
  const timed = async (into: number[], work: () => Promise<unknown>) => {
    const began = performance.now();
    // A service that is stuck closes the connection.
    await work().catch(() => (refused += 1));
    into.push(performance.now() - began);
    await sleep(200);
  };
  const pagesOf = async () => {
    while (performance.now() < end)
      await timed(pages, () => served.ask(`${served.url}/calls`, { headers: { cookie } }));
  };
  const calls = async () => {
    for (let n = 0; performance.now() < end; n += 1)
      await timed(deliveries, async () => {
        await served.post(accounts.a.token, event({ id: `new-${n}` }));
        await healthy.until((all) => all.some(({ call }) => call === `new-${n}`));
      });
  };
  await Promise.all([pagesOf(), calls()]);
  const stopping = performance.now();
  await program.end();
  const text = (list: number[]) =>
    `p50 ${percentile(list, 50).toFixed(0)} ms, max ${Math.max(...list).toFixed(0)} ms of ${list.length}`;
  print(`${filled ? 'with the backlog' : 'without'}: page ${text(pages)}; new call to a webhook ${text(deliveries)};
  ${failing.received.length} requests to webhooks failed; ${refused} of ours were not answered; SIGTERM took ${(performance.now() - stopping).toFixed(0)} ms`);
  for (const stop of after.reverse()) await stop();
}

for (const filled of [false, true]) await measure(filled);
process.exit();
