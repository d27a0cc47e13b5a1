import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { freePort } from '../tools/free-port.ts';
import { runCommand } from '../tools/program/operator.ts';
import { createStand, vip } from '../tools/program/stand.ts';

test('ask prints what the dialplan would get, where it comes from and how old it is', async (t) => {
  const stand = await createStand(t, {
    AGI_LISTEN: `127.0.0.1:${await freePort()}`,
    STATUS_LISTEN: `127.0.0.1:${await freePort()}`,
    AGI_DEADLINE_MS: '5000',
    DEFAULT_COUNTRY: 'DE',
  });
  const ask = async (number: string, settings: Record<string, string> = {}, ...options: string[]) => {
    const ran = await runCommand(['ask', number, ...options], { ...stand.env, ...settings });
    return { ...ran, flat: `${ran.text}${ran.error}`.replace(/\s+/g, ' ') };
  };
  const stopped = await ask(vip);
  assert.equal(stopped.code, 1);
  assert.match(stopped.flat, /connection refused/);

  await stand.start();
  const first = await ask('040 669699999');
  assert.equal(first.code, 0, first.flat);
  assert.match(first.flat, /^CALLER_PRIORITY 10 QUEUE_PRIO 10 CALLERID\(name\) Zoë "Q" CALLER_SEGMENT VIP /);
  assert.match(first.flat, /CALLER_NAME Zoë Q CALLER_LAST_EXTENSION 101 CALLER_CALLBACK_EXTENSION 102 /);
  assert.match(first.flat, /CALLER_BLOCKED \(empty\) CALLER_LANGUAGE de CALLER_PRIORITY_STATUS FOUND /);
  assert.match(first.flat, /FOUND: from the API, HTTP 200\. Answered in \d+ ms; AGI_DEADLINE_MS is 5000\./);
  const again = await ask(vip, {}, '--json');
  const { variables, why } = JSON.parse(again.text);
  assert.deepEqual([variables.CALLER_PRIORITY, variables.CALLER_LANGUAGE], ['10', 'de']);
  assert.match(why, /^from the cache, [\d.]+ s old, HTTP 200$/);

  const unknown = await ask('+4940669690108');
  assert.equal(unknown.code, 0);
  assert.match(unknown.flat, /CALLER_SEGMENT \(empty\) .* NOTFOUND: from the API, HTTP 200\./);
  stand.fakeApi.inject(always({ kind: 'status', status: 500 }));
  const failed = await ask('+4940669690107');
  assert.equal(failed.code, 2);
  assert.match(failed.flat, /ERROR: HTTP 500\./);

  assert.match((await ask(vip, { AGI_LISTEN: 'off' })).flat, /AGI_LISTEN is off/);
});

test('ask asks no other program that has the port', async (t) => {
  const stand = await createStand(t, {
    AGI_LISTEN: 'off',
    STATUS_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  await stand.start();
  const ran = await runCommand(['ask', vip], { ...stand.env, AGI_LISTEN: '127.0.0.1:4573' });
  assert.equal(ran.code, 1);
  assert.match(
    ran.error.replace(/\s+/g, ' '),
    /the bridge does not listen at AGI_LISTEN \(127\.0\.0\.1:4573\)/,
  );
});
