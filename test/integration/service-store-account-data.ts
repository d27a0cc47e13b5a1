import assert from 'node:assert/strict';
import type { Store } from '../../src/service/database/store.ts';
import { everyMissedCall } from '../../src/service/notifications/notification.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { isOwnerGone } from '../../src/service/store/statements.ts';
import { addWebhook } from '../tools/service/every-page.ts';
import { recorded } from '../tools/service/recorded-request.ts';
import type { StoreTests } from './service-store-conformance.ts';

/** More than a step, of which many began in the same millisecond. */
const CALLS = 1_100;

/** Gives an account something in every table. */
async function fill(store: Store, account: number, uid: string): Promise<void> {
  const { directory, users, customers, requests } = store;
  const made = await directory.addIntegration({ uid: `${uid}-pbx`, account, name: 'PBX', createdAt: 5 });
  await directory.changeIntegration(made.id, { replaces: 1, oldTokenUntil: 9_000_000_000_000 });
  await directory.oldTokenUsed({ ...made, tokenCounter: 2 }, '192.0.2.1', 7);
  await directory.saveBridgeReport(made.id, 7, '{"problems":[]}');
  await directory.saveCertificate(made.id, 7, '{}');
  await customers.putSegment(account, { name: 'Gold', priority: 2 });
  await customers.put(
    account,
    Array.from({ length: CALLS }, (_, n) =>
      customer({ reference: `${n}`, name: 'Ann', segment: 'Gold', numbers: [`+4930${100_000 + n}`] }),
    ),
  );
  const events = Array.from({ length: CALLS }, (_, n) =>
    (['ringing', 'completed'] as const).map((status) =>
      requests.record({
        ...recorded({ account, id: `${n}`, status, at: Math.floor(n / 100), from: `+4930${100_000 + n}` }),
        integration: made.id,
      }),
    ),
  );
  await Promise.all(events.flat());
  const bytes = { request: new Uint8Array([0xff, 1]), callId: null, event: null };
  await requests.record({ ...recorded({ account, at: 12 }), ...bytes, integration: made.id });
  const user = await users.add({
    uid: `${uid}-ann`,
    account,
    name: 'Ann',
    signInName: 'ann',
    role: 'administrator',
    password: 'a-secret',
    createdAt: 0,
  });
  assert.ok(user);
  await users.openSession({ id: `${uid}-session`, user, at: 1, address: '::1', browser: 'x' });
  await users.setSecondFactor(user.id, 'a-secret', ['a-secret']);
  await store.weekly.put(user.id, 'ann@example.com', '2026-11-16');
  const mail = {
    user: user.id,
    medium: 'mail',
    choice: everyMissedCall,
    address: 'ann@example.com',
  } as const;
  await store.notifications.put(mail, 1);
  const device = { endpoint: `https://push.example/${uid}`, publicKey: 'a-secret', auth: 'a-secret' };
  await store.notifications.addDevice(device, `${uid}-session`, 1);
  await directory.putExtension(account, { extension: '1001', name: 'Desk', user: user.id });
  await store.callers.act(account, { number: '+4930100001', at: 1, user: 'Ann', kind: 'note', text: 'x' });
  await store.audit.write({ account, at: 1, what: 'settings', who: 'Ann', from: '::1', target: 'x' });
  await addWebhook(store, account);
  await store.webhooks.events.begin(account, 1);
  await store.callers.act(account, { number: '+4930100001', at: 1, user: 'Ann', kind: 'taken', text: null });
  await store.webhooks.queueNew(null, 1);
  await Array.fromAsync(store.reports.figures(account, [{ since: 0, until: 900_000 }], 90_000_000));
}

async function exported({ accountData, openCalls }: Store, account: number) {
  await openCalls(account, 1); // waits for entries that are written later
  const lines = await Array.fromAsync(accountData.export(account));
  return lines.map((line) => JSON.stringify(line)).sort();
}

/** What can be had of an account as a whole. */
export const accountDataTests: StoreTests = {
  async 'an account goes as a whole, also after an interruption, and nothing of another; before, it can be exported'({
    store,
    account,
    other,
  }) {
    await fill(store, account, 'a');
    await fill(store, other, 'b');
    const [own, others] = [await exported(store, account), await exported(store, other)];
    const tables = Object.groupBy(own, (line) => (JSON.parse(line) as { table: string }).table);
    assert.equal(tables.calls?.length, CALLS);
    assert.equal(tables.history?.length, 2 * CALLS + 1);
    assert.equal(tables.customer_numbers?.length, CALLS);
    assert.deepEqual(Object.keys(tables).sort(), [
      'accounts',
      'audit',
      'bridge_health',
      'caller_actions',
      'calls',
      'certificates',
      'customer_numbers',
      'customers',
      'extensions',
      'history',
      'integration_use',
      'integrations',
      'notifications',
      'old_token_uses',
      'segments',
      'users',
      'webhooks',
      'weekly_reports',
    ]);
    assert.doesNotMatch(own.join('\n'), /a-secret/);
    assert.match(own.join('\n'), /"request(_bytes)?":"\/wE="/, 'bytes are base64');

    const stop = new Error('stopped');
    const stopped = store.accountData.remove(account, (rows) => {
      if (rows > 2 * CALLS) throw stop;
    });
    await assert.rejects(stopped, stop);
    const rest = await exported(store, account);
    assert.ok(rest.length > 0 && rest.length < own.length, 'half of it');
    await store.accountData.remove(account);
    assert.deepEqual(await exported(store, account), []);
    assert.deepEqual(await exported(store, other), others);
    assert.equal(await store.users.find({ uid: 'a-ann' }), undefined);
    const { accounts, integrations } = (await store.directory.read(0))?.directory ?? {};
    assert.deepEqual(
      accounts?.map(({ id }) => id),
      [other],
    );
    assert.deepEqual(
      integrations?.map(({ uid }) => uid),
      ['b-pbx'],
    );
  },

  async 'what comes for an account during its removal goes with it, and what comes after it is refused'({
    store,
    account,
    other,
  }) {
    const { directory, users, webhooks, customers, callers, requests, audit, accountData } = store;
    await fill(store, account, 'a');
    await fill(store, other, 'b');
    const others = await exported(store, other);
    const known = (await directory.read(0))?.directory;
    const integration = known?.integrations.find(({ uid }) => uid === 'a-pbx') ?? assert.fail();
    const user = (await users.find({ uid: 'a-ann' })) ?? assert.fail();
    const event = (id: string) => ({ ...recorded({ account, id }), integration: integration.id });
    const note = { number: '+4930100001', at: 1, user: 'Ann', kind: 'note', text: 'x' } as const;
    let n = 0;
    /** Whatever writes a row of the account. */
    const writes = (): Promise<unknown>[] => {
      n += 1;
      const uid = `late-${n}`;
      return [
        requests.record(event(uid)),
        requests.record({ ...event(uid), event: null }),
        audit.write({ account, at: 1, what: 'import', who: 'Ann', from: '::1', target: uid }),
        customers.put(account, [customer({ reference: uid, numbers: [`+4930${200_000 + n}`] })]),
        customers.putSegment(account, { name: uid, priority: 1 }),
        callers.act(account, note),
        directory.addIntegration({ uid, account, name: uid, createdAt: 0 }),
        directory.putExtension(account, { extension: uid, name: 'x', user: null }),
        webhooks.add({ uid, account, url: 'http://127.0.0.1:9/', events: ['call.ringing'], since: 0 }),
        users.add({
          uid,
          account,
          name: uid,
          signInName: uid,
          role: 'agent',
          password: null,
          createdAt: 0,
        }),
      ];
    };
    /** The same of its integration and its user. */
    const writesOfParts = () => [
      directory.saveBridgeReport(integration.id, 1, '{}'),
      directory.oldTokenUsed({ ...integration, tokenCounter: 2 }, `192.0.2.${n}`, 1),
      store.weekly.put(user.id, 'ann@example.com', '2026-11-16'),
    ];
    const opens = () => users.openSession({ id: `late-${n}`, user, at: 1, address: '::1', browser: 'x' });
    /** Undefined, or why a write was refused. */
    const outcomes = (all: readonly Promise<unknown>[]) =>
      all.map((one) =>
        one.then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
    const during: Promise<unknown>[] = [];
    await accountData.remove(account, () => {
      if (during.length < 100) during.push(...outcomes([...writes(), ...writesOfParts(), opens()]));
    });
    for (const error of await Promise.all(during))
      assert.ok(error === undefined || isOwnerGone(error), String(error));
    for (const error of await Promise.all(outcomes([...writes(), ...writesOfParts()])))
      assert.ok(error !== undefined && isOwnerGone(error), String(error));
    assert.equal(await opens(), false);
    assert.deepEqual(await exported(store, account), []);
    assert.deepEqual(await store.openCalls(account, 9), []);
    assert.deepEqual(await exported(store, other), others);
    assert.equal((await directory.read(0))?.directory.integrations.length, 1);
  },

  async 'the id of a row that is gone is not given out again, after a restart neither'({
    store,
    reopen,
    account,
  }) {
    const add = async ({ directory, users, customers, webhooks }: Store, uid: string) => {
      const made = await directory.addAccount({ uid, name: uid, country: null });
      const integration = await directory.addIntegration({ uid, account: made.id, name: uid, createdAt: 0 });
      const user = await users.add({
        uid,
        account,
        name: uid,
        signInName: uid,
        role: 'agent',
        password: null,
        createdAt: 0,
      });
      await webhooks.add({ uid, account, url: 'http://127.0.0.1:9/', events: ['call.ringing'], since: 0 });
      const webhook = (await webhooks.list(account)).find((one) => one.uid === uid);
      await customers.putSegment(account, { name: uid, priority: 1 });
      return [made.id, integration.id, user?.id ?? 0, webhook?.id ?? 0] as const;
    };
    const [made, integration, user, webhook] = await add(store, 'first');
    await store.users.remove(user);
    await store.webhooks.remove(webhook);
    await store.accountData.remove(made);
    const again = await add(await reopen(), 'second');
    for (const [n, before] of [made, integration, user, webhook].entries())
      assert.ok((again[n] ?? 0) > before, `${again} after ${[made, integration, user, webhook]}`);
  },
};
