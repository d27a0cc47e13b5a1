import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { freePort } from '../../../test/tools/free-port.ts';
import { startFreepbxFastAgi } from '../../../test/tools/lab/freepbx-fastagi.ts';
import { portFinding } from './machine-findings.ts';

/** What `check` says of AGI_LISTEN. */
const ofPort = (port: number, of: { listening?: boolean; bridge?: number } = {}) =>
  portFinding('AGI_LISTEN', { host: '127.0.0.1', port }, { listening: of.listening, bridge: of.bridge });

async function freepbx(t: TestContext) {
  const port = await freePort();
  const server = await startFreepbxFastAgi(port);
  t.after(server.stop);
  return { port, server };
}

/** A server of this process. */
async function ownServer(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}

describe('the port of priority lookups', () => {
  for (const [name, of] of [
    ['no bridge runs', {}],
    ['a bridge runs, with STATUS_LISTEN=off', { bridge: process.pid }],
    ['the running bridge cannot listen', { bridge: process.pid, listening: false }],
    ['the running bridge listens on another port', { bridge: process.pid, listening: true }],
  ] as const)
    test(`FreePBX's FastAGI server has it, ${name}`, async (t) => {
      const { port, server } = await freepbx(t);
      const found = await ofPort(port, of);
      assert.equal(found?.verdict, 'error');
      assert.match(
        found.result,
        /^in use by FreePBX's own FastAGI server: .*fastagi-server\.js \(process \d+\)$/,
      );
      assert.match(found.todo ?? '', /^Set AGI_LISTEN to another port.*Leave the other server running/);
      assert.equal(server.deaths(), 0);
    });

  test('the bridge has it, with STATUS_LISTEN=off', async (t) => {
    const port = await ownServer(t);
    const found = await ofPort(port, { bridge: process.pid });
    assert.deepEqual([found?.verdict, found?.result], ['ok', 'in use by the running bridge']);
  });

  for (const [name, of] of [
    ['no bridge runs', {}],
    ['a bridge runs', { bridge: process.ppid }],
  ] as const)
    test(`another program has it, ${name}`, async (t) => {
      const found = await ofPort(await ownServer(t), of);
      assert.equal(found?.verdict, 'error');
      assert.match(found.result, /^in use by another program: .*node.* \(process \d+\)$/);
      assert.match(found.todo ?? '', /^Set AGI_LISTEN to a free port/);
    });

  test("it is FreePBX's own, whose server is away", async (t) => {
    // Another instance of it shows that FreePBX is on this machine.
    await freepbx(t);
    const found = await ofPort(4573);
    assert.deepEqual(
      [found?.verdict, found?.result],
      ['warning', "the port of FreePBX's own FastAGI server"],
    );
  });

  test('it is free', async () => {
    const found = await ofPort(await freePort(), { bridge: process.pid });
    assert.deepEqual([found?.verdict, found?.result], ['ok', 'free']);
  });
});
