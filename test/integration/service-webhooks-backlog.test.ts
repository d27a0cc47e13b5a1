import assert from 'node:assert/strict';
import { testOnEachDatabase as test } from '../tools/servers/each-database.ts';
import { event } from '../tools/service/harness.ts';
import { person, visitor } from '../tools/service/people.ts';
import { startWithBacklog } from './webhook-backlog.ts';

test('with 25,000 events waiting for each of three webhooks, another gets a new call, pages answer, and SIGTERM ends the service', async (t, database) => {
  const { program, failing, healthy, accounts, ...served } = await startWithBacklog(t, database);
  await failing.until(({ length }) => length > 20);
  await person(served, { name: 'Ben', account: 'Beta' });
  const { cookie } = await visitor(served, 'Ben');
  for (const path of ['/calls', '/call-back', '/customers', '/reports'])
    assert.equal((await served.ask(`${served.url}${path}`, { headers: { cookie } })).status, 200, path);
  assert.equal((await served.post(accounts.a.token, event({ id: 'new' }))).status, 200);
  // One request for each of the seven that work.
  await healthy.until((all) => all.filter(({ call }) => call === 'new').length === 7);
  assert.deepEqual(await program.end(), { code: 0, signal: null });
});
