import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LogFields } from '../../shared/log/log.ts';
import { createMailer } from '../../shared/mail/mail.ts';
import { startMailServer } from '../../shared/mail/mail-server.fixture.ts';
import { openSqliteStore } from '../database/sqlite-store.ts';
import { sendWeeklyReports } from './weekly-report.ts';

test('a weekly report is sent once, on Monday at seven, by whichever process is first', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weekly-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const open = async () => {
    const store = await openSqliteStore(join(folder, 'service.db'));
    t.after(() => store.close());
    return store;
  };
  const store = await open();
  const server = await startMailServer();
  t.after(() => server.stop());
  const account = await store.directory.addAccount({ uid: 'a', name: 'Büro & Söhne', country: 'DE' });
  await store.directory.changeAccount(account.id, { timeZone: 'Europe/Berlin' });
  const accounts = (await store.directory.read(0))?.directory.accounts ?? [];
  const user = async (name: string, language: string, address: string) => {
    const added = await store.users.add({
      ...{ uid: name, account: account.id, name, signInName: name, role: 'agent', password: null },
      ...{ createdAt: 0, language: '', bar: null },
    });
    await store.users.change(added?.id ?? 0, { language });
    await store.weekly.put(added?.id ?? 0, address, '2026-11-02');
    return added?.id ?? 0;
  };
  await user('Jana', 'de', 'jana@example.com');
  await user('Nobody', 'en', 'nobody@example.com'); // refused by the server

  const said: LogFields[] = [];
  const log = { say: (_: string, fields?: LogFields) => void said.push(fields ?? {}), child: () => log };
  const mailer = createMailer({
    ...{ host: '127.0.0.1', port: server.port, secure: false, login: undefined, from: 'pbx@example.com' },
  });
  const at = (time: string, of = store) =>
    sendWeeklyReports(
      { store: of, mailer, origin: 'https://calls.example.com', log },
      accounts,
      Date.parse(time),
    );
  await at('2026-11-16T05:59Z'); // 6:59 in Berlin: still the week that was sent
  assert.equal(server.received.length, 0);
  await at('2026-11-16T06:00Z');
  await at('2026-11-16T06:15Z');
  const [other, another] = [await open(), await open()];
  await Promise.all([at('2026-11-23T06:01Z', other), at('2026-11-23T06:01Z', another)]);
  await at('2026-11-26T09:00Z');
  const mails = server.received.filter(({ to }) => to[0] === 'jana@example.com');
  assert.equal(mails.length, 2);
  assert.equal(server.received.length, 2);
  assert.match(mails[0]?.data ?? '', /text\/plain/);
  assert.match(mails[0]?.data ?? '', /Anrufe vom 9\. November 2026 bis 15\. November/);
  assert.match(mails[0]?.data ?? '', /calls\.example\.com\/reports\/week\?of=3D2026-11-09/);
  assert.match(mails[1]?.data ?? '', /16\. November 2026/);
  assert.ok(said.length >= 4, 'each refusal is logged, and tried again');
  assert.deepEqual(
    (await store.weekly.due(account.id, '2026-11-16')).map(({ address, sent }) => [address, sent]),
    [['nobody@example.com', '2026-11-02']],
  );
});
