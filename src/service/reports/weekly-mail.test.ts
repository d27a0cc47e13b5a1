import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { report } from '../../../test/tools/service/recorded-request.ts';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import type { LogFields } from '../../shared/log/log.ts';
import { createMailer } from '../../shared/mail/mail.ts';
import { startMailServer } from '../../shared/mail/mail-server.fixture.ts';
import { noExtensions } from '../accounts/extensions.ts';
import { openSqliteStore } from '../database/sqlite-store.ts';
import { customer } from '../people/customer.fixture.ts';
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
  await store.directory.addIntegration({ uid: 'i', account: account.id, name: 'PBX', createdAt: 0 });
  await store.directory.changeAccount(account.id, { timeZone: 'Europe/Berlin' });
  const ann = customer({
    reference: '7',
    name: 'Ann',
    segment: null,
    numbers: ['+4930901821', '+4930901822'],
  });
  await store.customers.put(account.id, [ann]);
  for (let n = 0; n < 30; n += 1) {
    const [id, at] = [`call-${n}`, Date.parse('2026-11-16T08:00Z') + n * 60_000];
    const from = n === 0 ? '+4930901821' : n === 1 ? '+4930901822' : `+49309020${n}`;
    const event = (status: CallStatus, after: number, callerId: string | null = null) =>
      report(store, { account: account.id, id, at: at + after * 1000, from, status, callerId });
    await event('ringing', 0);
    if (n >= 6) await event('answered', 8, n % 2 ? '1001' : '1002');
    await event('completed', 60);
  }
  await store.callers.act(account.id, {
    ...{ number: '+4930901822', user: 'Jana', kind: 'done', text: null },
    at: Date.parse('2026-11-16T08:21Z'),
  });
  const accounts = (await store.directory.read(0))?.directory.accounts ?? [];
  const directory = { accounts: () => accounts, extensions: () => noExtensions };
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
      { store: of, directory, mailer, origin: 'https://calls.example.com', log },
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
  assert.match(mails[0]?.data ?? '', /Bericht: 9\.=E2=80=9315\. Nov\. 2026/);
  assert.match(mails[0]?.data ?? '', /example\.com\/reports\?from=3D2026-11-09/);
  assert.match(mails[1]?.data ?? '', /16\.=E2=80=9322\. Nov\. 2026/);
  const lines = (mails[1]?.data ?? '')
    .replace(/=\r\n/g, '')
    .replace(/(=[0-9A-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('=', ''), 'hex').toString())
    .split('\r\n');
  assert.deepEqual(lines.slice(lines.indexOf('Büro & Söhne'), lines.indexOf('Büro & Söhne') + 9), [
    'Büro & Söhne',
    '',
    'Am meisten los: 09:00 – 10:00. 6 von 30 Anrufen verpasst, 2 Personen nahmen an.',
    '',
    'Anrufe: 30 / 0 davor',
    'Verpasst: 6 (20,0\u00a0%)',
    'Bis zur Annahme: 8\u00a0s / 80,0\u00a0% innerhalb 20 s',
    'Zurückgerufen nach: 20\u00a0min / 9 von 10 binnen 20\u00a0min, 4 nie erreicht',
    '',
  ]);
  assert.ok(lines.includes('Mo 16.: 30 / 24 / 6'), 'the days');
  assert.ok(lines.includes('Mo 16.: 30 (6)'), 'and their hours');
  assert.ok(said.length >= 4, 'each refusal is logged, and tried again');
  assert.deepEqual(
    (await store.weekly.due(account.id, '2026-11-16')).map(({ address, sent }) => [address, sent]),
    [['nobody@example.com', '2026-11-02']],
  );
  // A clock that was ahead once.
  await at('2027-11-22T07:00Z');
  await at('2026-11-30T07:00Z');
  await at('2026-11-30T07:15Z');
  const later = server.received.filter(({ to }) => to[0] === 'jana@example.com').slice(2);
  assert.equal(later.length, 2);
  assert.match(later[1]?.data ?? '', /23\.=E2=80=9329\. Nov\. 2026/);
});
