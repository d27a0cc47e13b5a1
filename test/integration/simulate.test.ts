import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProgram, temporaryFolder } from './program.ts';
import { callsOf, createStand } from './stand.ts';

test('simulate: a bridge that logs in reports just the calls that were made up', async (t) => {
  const args = ['simulate', '--json', '--rate', '40', '--seconds', '4', '--talk', '0.1', '--seed', '5'];
  const mix = 'answered=2,missed=1,busy=2,withheld=1,outgoing=1,internal=1';
  const office = runProgram([...args, '--mix', mix], { env: {}, cwd: temporaryFolder(t) });
  const [, port = ''] = await office.says(/"port": (\d+)/);
  const stand = await createStand(t, { AMI_PORT: port, AMI_USERNAME: 'pbx-bridge', AMI_SECRET: 'simulate' });
  await stand.start();
  const [, played = '{}'] = await office.says(/^\}\n(\{\n {2}"calls"[\s\S]*\})\n$/m);
  const { calls, reported } = JSON.parse(played) as { calls: number; reported: Record<string, number> };
  assert.ok(calls > 40, `${calls} calls`);
  await stand.farSide.waitFor((it) => it.counts().moved >= Object.values(reported).reduce((a, b) => a + b));
  const received = callsOf(stand.farSide).flatMap((call) => call.received);
  const count = (status: string) => received.filter((one) => one === status).length;
  assert.deepEqual(
    { ringing: count('ringing'), answered: count('answered'), completed: count('completed') },
    reported,
  );
  await stand.stop();
  assert.equal((await office.ended).code, 0);
});
