import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { cannotInstall, installPackages } from '../tools/debian.ts';
import { freePort } from '../tools/free-port.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { openShell } from '../tools/program/shell.ts';
import { blocksOf, readDocument } from '../tools/tree/documents.ts';
import { until } from '../tools/until.ts';

/** What the service answers an event that it has taken. */
const taken = /\{"result":"\w{48}"\}/g;

const withoutCurl = existsSync('/usr/bin/curl') ? undefined : cannotInstall();
const skip = withoutCurl === undefined ? false : `curl is not installed: ${withoutCurl}`;

test('the test call that `service token` and `integration add` print, pasted as it is, reaches the service', {
  skip,
}, async (t) => {
  await installPackages({ '/usr/bin/curl': 'curl' });
  const cwd = temporaryFolder(t);
  const address = `127.0.0.1:${await freePort()}`;
  const env = { SERVICE_LISTEN: address };
  const service = runProgram(['service'], { env, cwd });
  t.after(() => service.end());
  await service.says(/"url":/);
  const shell = openShell(cwd, env);
  const printed = [
    await shell.run('pbx-bridge service token', 'pipe'),
    await shell.run("pbx-bridge service integration add 'Branch office'", 'terminal'),
  ];
  for (const { output } of printed) {
    const [, call = ''] = output.split('Command that makes a test call of ten seconds:\n');
    // A running service hears of a new token within a second, sooner than a person can paste it.
    const headers = { authorization: /Bearer \w+/.exec(call)?.[0] ?? '', accept: 'application/json' };
    const status = async () => (await fetch(`http://${address}/api/v1/voice?limit=1`, { headers })).status;
    await until('the token to be known', async () => (await status()) !== 401);
    for (const name of ['sh', 'bash'] as const) {
      const pasted = await shell.paste(name, call);
      assert.equal(pasted.code, 0, pasted.output);
      assert.equal(pasted.output.match(taken)?.length, 3, pasted.output);
    }
  }

  // Those of the document, which has the usual port.
  const [, token] = /API_TOKEN=(\S+)/.exec(printed[0]?.output ?? '') ?? [];
  const calls = blocksOf(readDocument('src/service/README.md').text).filter((it) =>
    /^curl .*\n?.*\/api\/v1\//.test(it),
  );
  assert.equal(calls.length, 2);
  for (const call of calls)
    for (const name of ['sh', 'bash'] as const) {
      const pasted = await shell.paste(name, `TOKEN=${token}\n${call.replace('127.0.0.1:8080', address)}`);
      assert.equal(pasted.output.match(taken)?.length, 1, pasted.output);
    }
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
});
