import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { openReader } from '../../src/bridge/outbox/reader.ts';
import { databasePath } from '../../src/bridge/outbox/tables/database.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { runCommand } from '../tools/program/operator.ts';
import { createStand } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

const refused = always({
  kind: 'status',
  status: 422,
  body: '{"message":"The from field is not a number."}',
});
const rings = (n: number) =>
  amiEvent('Newchannel', {
    Channel: `PJSIP/trunk-0000000${n}`,
    CallerIDNum: `+4940123456${n}`,
    Uniqueid: `1763600000.${n}`,
    Linkedid: `1763600000.${n}`,
  });

/** A bridge that runs, with two dead letters in its outbox. */
async function withDeadLetters(t: TestContext) {
  const stand = await createStand(t);
  await stand.start();
  stand.fakeApi.inject(refused);
  for (const n of [1, 2]) stand.pbx.send(rings(n));
  const counters = () => {
    const reader = openReader(stand.env.STATE_DIR ?? '');
    const counters = reader?.counters();
    reader?.close();
    return counters;
  };
  await stand.fakeApi.waitFor((it) => it.requests().length >= 6);
  await until('two dead letters', () => counters()?.dead === 2, { state: counters });
  const run = (...args: string[]) => runCommand(['outbox', ...args], stand.env);
  return { stand, run, counters };
}

// Each waits for the retries of its own dead letters.
describe('outbox', { concurrency: true }, () => {
  test('list and show: what was given up, how often it was tried, and what the API said', async (t) => {
    const { stand, run } = await withDeadLetters(t);
    const listed = await runCommand(['outbox', 'list'], { ...stand.env, NO_COLOR: '1' }, { columns: 80 });
    assert.equal(listed.code, 0);
    assert.match(
      listed.text.replace(/\n +(?=\S)/g, ' '),
      /dead +ringing of pbx-1763600000\.[12], stored .*; rejected: .*422.*"The from field is not a number\."/,
    );
    assert.ok(
      listed.text.split('\n').every((line) => line.length <= 80),
      listed.text,
    );
    const [{ seq }] = JSON.parse((await run('list', '--json', '--call', 'pbx-1763600000.1')).text) as [
      { seq: number },
    ];
    const shown = await run('show', String(seq));
    assert.equal(shown.text.match(/attempt /g)?.length, 3);
    assert.match(shown.text, /"from":"\+494\*+61"/);
    assert.doesNotMatch(listed.text + shown.text, /49401234561/);
    assert.match((await run('show', 'pbx-1763600000.1', '--show-numbers')).text, /\+49401234561/);
    assert.equal((await run('show', '999')).code, 3);
    assert.equal((await run('list', '--state', 'delivered')).code, 3);
  });

  test('retry: a dead letter is delivered by the bridge that runs', async (t) => {
    const { stand, run, counters } = await withDeadLetters(t);
    stand.fakeApi.inject(() => undefined);
    assert.equal((await run('retry')).code, 1, 'not all of them by accident');
    const ran = await run('retry', '--call', 'pbx-1763600000.1');
    assert.equal(ran.code, 0);
    assert.match(ran.text, /^1 event will be sent again/);
    assert.equal((await run('retry', '--all', '--json')).text, '{\n  "again": 1\n}\n');
    await stand.fakeApi.waitFor((it) => [1, 2].every((n) => it.calls().has(`pbx-1763600000.${n}`)));
    await stand.caughtUp();
    await stand.stop();
    assert.equal(counters()?.dead, 0);
    assert.equal((await run('retry', '--all')).code, 3);
  });

  test('retry by numbers: whatever is no dead letter is named, and the others are sent again', async (t) => {
    const { stand, run, counters } = await withDeadLetters(t);
    const seqs = (JSON.parse((await run('list', '--json')).text) as { seq: number }[]).map(({ seq }) => seq);
    assert.equal(seqs.length, 2);
    const [one, other] = seqs.map(String) as [string, string];
    assert.match(
      (await run('retry', one, '--all')).error,
      /^event numbers cannot be combined with a filter or --all/,
    );
    await assert.rejects(run('retry', 'one'), /^Error: one is not an event number/);
    stand.fakeApi.inject(() => undefined);
    const ran = await run('retry', one, `0${one}`, '999');
    assert.equal(ran.code, 0);
    assert.match(ran.text, /^1 event will be sent again/);
    assert.match(ran.error, /^no event 999\n$/);
    // The answer comes after the event has arrived.
    await until('one event to be delivered', () => counters()?.delivered === 1, { state: counters });
    const late = await run('retry', one, other);
    assert.match(late.error, new RegExp(`^event ${one} is not a dead letter: it is delivered\n$`));
    assert.match(late.text, /^1 event will be sent again/);
  });

  test('retry --all of more dead letters than one command changes: the newest, and it says that there are more', async (t) => {
    const { stand, run, counters } = await withDeadLetters(t);
    await stand.stop();
    const db = new DatabaseSync(databasePath(stand.env.STATE_DIR ?? ''));
    db.exec(`INSERT INTO event (call_id, status, body, queued_at, state, attempts, finished_at)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100000)
      SELECT 'pbx-' || n, 'ringing', '{}', 0, 2, 0, 0 FROM n;
    UPDATE counters SET queued = queued + 100000, dead = dead + 100000, last_seq = last_seq + 100000`);
    db.close();
    const first = await run('retry', '--all');
    assert.match(first.text, /^100000 events will be sent again/);
    assert.match(
      first.error,
      /^more than 100,000 dead letters match; processing the newest 100,000\. Run the command again for the others\n$/,
    );
    const second = await run('retry', '--all');
    assert.match(second.text, /^2 events will be sent again/);
    assert.equal(second.error, '');
    assert.equal(counters()?.dead, 0);
  });

  test('discard: asks, writes the audit log first, and the counters still add up when the bridge goes on', async (t) => {
    const { stand, run, counters } = await withDeadLetters(t);
    const no = await runCommand(['outbox', 'discard', '--all'], stand.env, { input: 'no\n' });
    assert.equal(no.code, 1);
    assert.match(no.text, /Discard 2 dead letters permanently\? Type yes: \nnothing discarded\n$/);
    assert.equal(
      (await runCommand(['outbox', 'discard', '--all'], stand.env)).code,
      1,
      'no answer to the question',
    );
    assert.equal(counters()?.dead, 2);
    const yes = await runCommand(['outbox', 'discard', '--call', 'pbx-1763600000.2'], stand.env, {
      input: 'yes\n',
    });
    assert.equal(yes.code, 0);
    const log = `${stand.env.STATE_DIR}/outbox.audit.jsonl`;
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 1);
    const entry = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.equal(entry.action, 'discard');
    assert.equal(entry.callId, 'pbx-1763600000.2');
    assert.equal(statSync(log).mode & 0o777, 0o600);

    stand.fakeApi.inject(() => undefined);
    stand.pbx.send(rings(3));
    await until('the answer to it', () => counters()?.delivered === 1);
    await stand.stop();
    assert.deepEqual(counters(), { queued: 2, delivered: 1, waiting: 0, dead: 1, lost: 0 });
    await stand.start();
    assert.deepEqual(counters(), { queued: 2, delivered: 1, waiting: 0, dead: 1, lost: 0 });
    assert.equal((await run('list')).text.split('\n').filter((line) => /dead/.test(line)).length, 1);
  });

  test('forget: a number goes from delivered events, the journal and the log of discards, never from what is undelivered', async (t) => {
    const { stand, run } = await withDeadLetters(t);
    const state = stand.env.STATE_DIR ?? '';
    const held = () => {
      const db = new DatabaseSync(databasePath(state));
      const columns = [
        'body AS text FROM event',
        'lines AS text FROM journal',
        'why AS text FROM unreported',
      ];
      const texts = columns.map((column) => JSON.stringify(db.prepare(`SELECT ${column}`).all()));
      db.close();
      return texts.map((text) => /0123456/.test(text));
    };
    const forget = (...args: string[]) => runCommand(['forget', ...args], stand.env);
    assert.equal((await forget('4711')).code, 1);
    const undelivered = await forget('+49401234561', '--json');
    assert.equal(undelivered.code, 2);
    assert.equal(JSON.parse(undelivered.text).undelivered, 1);
    assert.equal(stand.fakeApi.requests().length, 6);

    await run('discard', '--call', 'pbx-1763600000.2', '--yes');
    stand.fakeApi.inject(undefined);
    await run('retry', '--all');
    await stand.fakeApi.waitFor((it) => it.requests().length >= 7);
    await stand.stop();
    const db = new DatabaseSync(databasePath(state));
    db.exec("INSERT INTO unreported VALUES ('pbx-1.1', 0, 'from +49401234561: not inbound')");
    db.close();
    const reader = new DatabaseSync(databasePath(state), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM event').get();
    const kept = await forget('+49401234561');
    assert.equal(kept.code, 2);
    assert.match(kept.text.replace(/\s+/g, ' '), /still in outbox\.db-wal/);
    reader.close();
    for (const n of [1, 2]) assert.equal((await forget(`+4940123456${n}`)).code, 0);
    assert.deepEqual(held(), [false, false, false]);
    assert.doesNotMatch(readFileSync(`${state}/outbox.audit.jsonl`, 'utf8'), /0123456/);
    assert.match((await run('show', 'pbx-1763600000.1', '--show-numbers')).text, /"from":"0"/);
  });
});
