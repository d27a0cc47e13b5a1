import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import type { DatabaseSettings } from '../../src/service/database/open-store.ts';
import { languages } from '../../src/service/words/words.ts';
import { testOnEachDatabase, testOnPostgres } from '../tools/servers/each-database.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, textOf, withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

const CUSTOMERS = 2_000;
const table = `reference,name\n${Array.from({ length: CUSTOMERS }, (_, n) => `r${n},Ann ${n}\n`).join('')}`;

/** What the storage does with a row that is refused: on PostgreSQL its connection can end, too. */
type Fault = 'error' | 'connection ends';

/** A service whose storage refuses rows while `when` is true of them, and its administrator. */
async function site(t: TestContext, database: DatabaseSettings) {
  const served = { ...(await serve(t, { database })), database };
  const ada = await browse(served, 'Ada');
  async function sql(text: string): Promise<void> {
    if (database === null) {
      const db = new DatabaseSync(join(served.stateDir, 'service.db'));
      db.exec(text);
      db.close();
    } else {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      await client.query(text);
      await client.end();
    }
  }
  return {
    ...served,
    ada,
    sends: (fields: Record<string, string>, language = 'en') =>
      ada.send('/customers/import', { table, ...fields }, { 'accept-language': language }),
    /** Refuses rows of `into` for which `when` is true; returns what ends that. */
    async refuse(into: string, when: string, fault: Fault) {
      if (database === null)
        await sql(
          `CREATE TRIGGER refuse_${into} BEFORE INSERT ON ${into} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'no room'); END`,
        );
      else
        await sql(`CREATE OR REPLACE FUNCTION refuse_${into}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          ${fault === 'error' ? "RAISE EXCEPTION 'no room'" : 'PERFORM pg_terminate_backend(pg_backend_pid())'}; RETURN NEW; END $$;
          CREATE TRIGGER refuse_${into} BEFORE INSERT ON ${into} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse_${into}()`);
      return () => sql(`DROP TRIGGER refuse_${into}${database === null ? '' : ` ON ${into}`}`);
    },
    stored: () =>
      withStore(served, async ({ customers }) => {
        const all = (await Array.fromAsync(customers.all(1))).flat();
        return all.filter(({ reference }) => reference.startsWith('r')).length;
      }),
    imports: () =>
      withStore(served, async ({ audit }) => {
        const query = { account: 1, what: 'import', who: null, before: null, limit: 99 };
        const { entries } = await audit.page(query);
        return entries.toReversed().map(({ who, from, target }) => [who, from, target].join(' | '));
      }),
  };
}

for (const [fault, run] of [
  ['error', testOnEachDatabase],
  ['connection ends', testOnPostgres],
] as const)
  run(
    `an import that breaks off (${fault}) says what is stored, also in the audit log, and the same file does the rest`,
    async (t, database) => {
      const { sends, refuse, stored, imports, said, ask, url, a } = await site(t, database);
      const takeAgain = await refuse('customers', "NEW.reference = 'r1100'", fault);
      const broken = await sends({ confirmed: 'yes' });
      assert.equal(broken.status, fault === 'error' ? 500 : 503);
      assert.match(textOf(broken.text), /1,000 customers are imported\. Import the same file again/);
      assert.equal(await stored(), 1_000);
      const [first] = await imports();
      assert.match(first ?? '', /^Ada \| 127\.0\.0\.1 \| 1000 imported, then: \S/);
      assert.ok(said.includes('service.import-broke-off'));

      for (const [language, { importing }] of languages) {
        const again = await sends({ confirmed: 'yes' }, language);
        assert.ok(textOf(again.text).includes(textOf(importing.brokeOff(1_000))), language);
      }
      const headers = { 'content-type': 'text/csv' };
      const byToken = await ask(`${url}/admin/customers`, {
        token: a.admin,
        method: 'POST',
        body: table,
        headers,
      });
      assert.equal(byToken.status, fault === 'error' ? 500 : 503);
      assert.match((await imports()).at(-1) ?? '', /^administration token \| .* \| 1000 imported, then: \S/);

      await takeAgain();
      assert.match((await sends({ confirmed: 'yes' })).text, /2,000 customers imported/);
      assert.equal(await stored(), CUSTOMERS);
    },
  );

testOnEachDatabase(
  'an import that nothing of is stored has no entry; one whose entry is refused has it later',
  async (t, database) => {
    const { sends, refuse, stored, imports } = await site(t, database);
    const takeFirst = await refuse('customers', "NEW.reference = 'r7'", 'error');
    assert.doesNotMatch(textOf((await sends({ confirmed: 'yes' })).text), /Import the same file again/);
    assert.deepEqual([await stored(), await imports()], [0, []]);
    await takeFirst();
    await refuse('customers', "NEW.reference = 'r700'", 'error');
    const takeEntries = await refuse('audit', "NEW.what = 'import'", 'error');
    assert.match(textOf((await sends({ confirmed: 'yes' })).text), /600 customers are imported/);
    assert.deepEqual(await imports(), []);
    await takeEntries();
    await until('the entry', async () => (await imports()).length > 0);
    assert.match((await imports())[0] ?? '', /600 imported, then: \S/);
  },
);
