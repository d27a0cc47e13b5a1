import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventsOf, keepingLog, opened, temporaryFolder } from './outbox.fixture.ts';

const appender = fileURLToPath(new URL('./appender.fixture.ts', import.meta.url));
const kills = 12;

// No control with synchronous OFF here: the kernel keeps what a killed process wrote, so this could not fail by it.
// Only a power cut shows the difference; that is among the fault runs.
test('outbox: killed again and again in the middle of its work, it loses nothing that it said was taken', async (t) => {
  const directory = temporaryFolder(t);
  const acknowledged = new Set<number>();
  const log = keepingLog();
  for (let kill = 0; kill < kills; kill++) {
    const next = Math.max(-1, ...acknowledged) + 1_000;
    const child = spawn(process.execPath, [appender, directory, String(next)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8');
    for await (const chunk of child.stdout) {
      output += chunk;
      // Each time at another point of its work.
      if (output.split('\n').length > 2 + kill * 40) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    assert.equal(child.signalCode, 'SIGKILL');
    const lines = output.split('\n').slice(1, -1);
    assert.notEqual(lines.length, 0);
    for (const line of lines) acknowledged.add(Number(line));

    const outbox = await opened(t, { directory }, log);
    const { queued, delivered, waiting, dead } = await outbox.counters();
    assert.equal(queued, delivered + waiting + dead);
    assert.ok(queued >= acknowledged.size * 2);
    const { calls } = await outbox.load();
    const open = new Set(calls.map(({ id }) => id));
    for (const number of acknowledged) {
      const id = `call-${number}`;
      assert.ok(open.has(id), `${id} was acknowledged`);
      const statuses = eventsOf(directory, { callId: id }).map(({ status }) => status);
      assert.deepEqual(statuses, ['ringing', 'completed']);
    }
    await outbox.close();
  }
  assert.deepEqual(log.lines, [], 'a kill is no damage');
});
