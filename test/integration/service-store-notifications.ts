import assert from 'node:assert/strict';
import type { Account } from '../../src/service/accounts/account.ts';
import { noExtensions } from '../../src/service/accounts/extensions.ts';
import type { Store } from '../../src/service/database/store.ts';
import type { MissedPerson } from '../../src/service/notifications/due-notices.ts';
import { type Choice, everyMissedCall, type Medium } from '../../src/service/notifications/notification.ts';
import { createNotifications } from '../../src/service/notifications/notifications.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { report } from '../tools/service/recorded-request.ts';
import type { StoreTests } from './service-store-conformance.ts';

const MINUTE = 60_000;
/** Long before this test ran, so that nothing is of now. */
const noon = Date.parse('2026-11-27T12:00:00Z');

async function addUser(store: Store, account: number, name: string) {
  const made = { uid: name, account, name, signInName: name, role: 'agent', password: null } as const;
  const user = await store.users.add({ ...made, createdAt: 0 });
  return user ?? assert.fail();
}

/** What users have been told, by a process of its own; a server that is down takes nothing. */
function processOn(store: Store, time: { now: number }) {
  const told: string[] = [];
  const server = { isDown: false };
  const sender = {
    canSend: () => true,
    test: async () => {},
    async send(
      { user, medium }: { user: number; medium: Medium },
      _: Account,
      people: readonly MissedPerson[],
    ) {
      await new Promise((resolve) => setImmediate(resolve));
      if (server.isDown) throw new Error('down');
      told.push(`${user} ${medium}: ${people.map(({ call, times }) => `${call.id} ×${times}`).join(', ')}`);
    },
  };
  return {
    told,
    server,
    async run(medium: Medium = 'mail'): Promise<void> {
      const { accounts = [] } = (await store.directory.read(0))?.directory ?? {};
      const directory = { accounts: () => accounts, extensions: () => noExtensions };
      const parts = { store, directory, sender, clock: () => time.now, log: silentLog };
      await createNotifications(parts).run(medium);
    },
  };
}

const misses = async (store: Store, account: number, id: string, at: number, from = '+4930901821') => {
  await report(store, { account, id, status: 'ringing', at: at - 20_000, from });
  await report(store, { account, id, status: 'completed', at, from });
};

/** What users are told of missed calls, of every store. */
export const notificationTests: StoreTests = {
  async 'missed calls are told once, by one of several processes, and after a restart'({
    store,
    account,
    other,
    reopen,
  }) {
    const time = { now: noon };
    const { id: user } = await addUser(store, account, 'ann');
    const choice = (change: Partial<Choice> = {}) => ({ ...everyMissedCall, ...change });
    await misses(store, account, 'before', noon - MINUTE);
    for (const medium of ['mail', 'push'] as const)
      await store.notifications.put({ user, medium, choice: choice(), address: '' }, noon);
    let { cursor } = await store.webhooks.queueNew(null, noon);
    const queue = async () => {
      ({ cursor } = await store.webhooks.queueNew(cursor, time.now));
    };
    await misses(store, account, 'a', noon + 1);
    await misses(store, account, 'b', noon + 2);
    await misses(store, account, 'c', noon + 3, '+4930901822');
    await misses(store, other, 'theirs', noon + 3);
    await report(store, {
      account,
      id: 'past',
      status: 'completed',
      at: noon + 4,
      past: { began: noon, ended: noon + 4 },
    });
    await report(store, { account, id: 'answered', status: 'answered', at: noon + 4 });
    await report(store, { account, id: 'answered', status: 'completed', at: noon + 5 });
    await queue();
    const processes = [processOn(store, time), processOn(store, time)] as const;
    const [one, two] = processes;
    const all = () => [...one.told, ...two.told].sort();
    const run = (medium: Medium) => Promise.all(processes.map((each) => each.run(medium)));

    await run('mail');
    await run('push');
    assert.deepEqual(all(), [], 'calls are gathered');
    time.now += 11_000;
    await run('push');
    assert.deepEqual(all(), [`${user} push: b ×2, c ×1`]);
    time.now += 50_000;
    // A server that hangs is tried again, and what another medium has told is not told again.
    one.server.isDown = two.server.isDown = true;
    await run('mail');
    time.now += MINUTE;
    one.server.isDown = two.server.isDown = false;
    await run('mail');
    const told = [`${user} mail: b ×2, c ×1`, `${user} push: b ×2, c ×1`];
    assert.deepEqual(all(), told);
    // From an unknown place, and in another process, nothing comes twice.
    await store.webhooks.queueNew(null, time.now);
    const again = await reopen();
    const three = processOn(again, time);
    time.now += 60 * MINUTE;
    for (const medium of ['mail', 'push'] as const) await three.run(medium);
    assert.deepEqual(three.told, []);
    // What a process took and did not send, another one sends.
    await misses(again, account, 'd', time.now);
    await again.webhooks.queueNew(null, time.now);
    time.now += 2 * MINUTE;
    assert.equal(await again.notifications.claim({ user, medium: 'mail' }, time.now), true);
    assert.equal(await again.notifications.claim({ user, medium: 'mail' }, time.now), false);
    await three.run();
    assert.deepEqual(three.told, []);
    time.now += 2 * MINUTE;
    await three.run();
    assert.deepEqual(three.told, [`${user} mail: d ×1`]);
    // A clock that was ahead holds nobody for long.
    await again.notifications.release({ user, medium: 'mail' }, time.now + 86_400_000);
    assert.equal(await again.notifications.claim({ user, medium: 'mail' }, time.now), true);
  },

  async 'who was called back in time, or is blocked, is told to nobody'({ store, account }) {
    const time = { now: noon };
    const { id: user } = await addUser(store, account, 'ann');
    const choice = { ...everyMissedCall, after: 30 };
    await store.notifications.put({ user, medium: 'mail', choice, address: 'ann@example.com' }, noon);
    await store.customers.put(account, [
      customer({ reference: '1', name: 'Ann', segment: null, numbers: ['+4930901', '+4930902'] }),
      customer({ reference: '2', name: 'Blocked', segment: null, numbers: ['+4930903'], blocked: 'yes' }),
    ]);
    const { cursor } = await store.webhooks.queueNew(null, noon);
    await misses(store, account, 'called-back', noon + 1, '+4930901');
    await misses(store, account, 'also', noon + 2, '+4930902');
    await misses(store, account, 'blocked', noon + 3, '+4930903');
    await misses(store, account, 'waits', noon + 4, '+4930904');
    await misses(store, account, 'taken', noon + 5, '+4930905');
    await misses(store, account, 'withheld', noon + 6, 'anonymous');
    await store.webhooks.queueNew(cursor, noon + 7);
    const did = { user: 'ann', text: null, at: noon + MINUTE } as const;
    await store.callers.act(account, { ...did, number: '+4930902', kind: 'done' });
    await store.callers.act(account, { ...did, number: '+4930905', kind: 'taken' });
    const process = processOn(store, time);
    time.now += 30 * MINUTE;
    await process.run();
    assert.deepEqual(process.told, []);
    time.now += 2 * MINUTE;
    await process.run();
    assert.deepEqual(process.told, [`${user} mail: waits ×1, withheld ×1`]);
  },

  async 'a choice that changes keeps what was told; what is switched off, a user and a call take theirs along'({
    store,
    account,
    other,
  }) {
    const ann = await addUser(store, account, 'ann');
    const ben = await addUser(store, other, 'ben');
    const { notifications, webhooks } = store;
    const choice = { ...everyMissedCall, numbersCalled: ['+4989'], segments: ['VIP'] };
    const put = (user: number, address: string, at: number) =>
      notifications.put({ user, medium: 'mail', choice, address }, at);
    await put(ann.id, 'ann@example.com', noon);
    await put(ben.id, 'ben@example.com', noon);
    const everything = { user: ann.id, medium: 'push', choice: everyMissedCall, address: '' } as const;
    await notifications.put({ ...everything, choice }, noon);
    assert.deepEqual(await notifications.usersOf(account, 'VIP'), [ann.name], 'once, and no others');
    assert.deepEqual(await notifications.usersOf(account, 'VI'), []);
    await notifications.remove(everything);
    await misses(store, account, 'a', noon + 1);
    await misses(store, account, 'b', noon + 2);
    await webhooks.queueNew(null, noon + 3);
    const rows = async () =>
      (await notifications.notices({ user: ann.id, medium: 'mail' })).map(({ call }) => call.id);
    assert.deepEqual(await rows(), ['a', 'b']);
    await put(ann.id, 'new@example.com', noon + 10);
    await webhooks.queueNew(null, noon + 11);
    assert.deepEqual(await rows(), ['a', 'b']);
    assert.deepEqual(await notifications.ofUser(ann.id), [
      { user: ann.id, medium: 'mail', choice, address: 'new@example.com' },
    ]);
    assert.deepEqual(await notifications.texts(account), ['new@example.com', 'VIP', '+4989']);
    assert.deepEqual(
      (await notifications.recipients('mail', noon)).map(({ user, account: of, oldest }) => [
        user,
        of,
        oldest,
      ]),
      [[ann.id, account, noon + 1]],
    );
    await store.calls.trim(noon - 20_000 + 2);
    assert.deepEqual(await rows(), ['b']);
    await notifications.remove({ user: ann.id, medium: 'mail' });
    await put(ann.id, 'ann@example.com', noon + 20);
    await webhooks.queueNew(null, noon + 21);
    assert.deepEqual(await rows(), [], 'calls of before it was switched on');
    await misses(store, account, 'c', noon + 30);
    await webhooks.queueNew(null, noon + 31);
    assert.deepEqual(await rows(), ['c']);
    await store.users.remove(ann.id);
    assert.deepEqual(await rows(), []);
    assert.deepEqual(await notifications.texts(account), []);
  },

  async 'a browser is of who signed in there last, and gets no messages after signing out'({
    store,
    account,
    other,
  }) {
    const ann = await addUser(store, account, 'ann');
    const ben = await addUser(store, other, 'ben');
    const { users, notifications } = store;
    const open = (id: string, user: typeof ann) =>
      users.openSession({ id, user, at: 1, address: '::1', browser: `of ${id}` });
    for (const id of ['one', 'two', 'three']) await open(id, ann);
    await open('bens', ben);
    const add = (endpoint: string, session: string, at = 1) =>
      notifications.addDevice({ endpoint, publicKey: 'key', auth: 'secret' }, session, at);
    const devices = async (user = ann) =>
      (await notifications.devices(user.id)).map(({ endpoint, browser }) => `${endpoint} ${browser}`);
    await add('https://a.example', 'one', 1);
    await add('https://b.example', 'two', 2);
    await add('https://c.example', 'nobody');
    assert.deepEqual(await devices(), ['https://b.example of two', 'https://a.example of one']);
    const renew = (session: string) =>
      notifications.renewDevice({ endpoint: 'https://b.example', publicKey: 'key', auth: 'secret' }, session);
    assert.deepEqual(
      [await renew('bens'), await renew('nobody'), await renew('three')],
      [false, false, true],
    );
    assert.deepEqual(await devices(), ['https://b.example of two', 'https://a.example of one']);
    // A session that is idle ends by itself: its browser still gets messages. One that is closed does not.
    await users.expireSession('one');
    await users.closeSession('three');
    assert.deepEqual(await devices(), ['https://a.example of one']);
    await add('https://b.example', 'two', 4);
    await users.closeSessions(ann.id, 'two');
    assert.equal(await renew('three'), false);
    assert.deepEqual(await devices(), ['https://b.example of two']);
    await add('https://b.example', 'bens', 5);
    assert.deepEqual([await devices(), await devices(ben)], [[], ['https://b.example of bens']]);
    await notifications.removeDevice(ann.id, 'https://b.example');
    assert.deepEqual(await devices(ben), ['https://b.example of bens'], 'of another user');
    await notifications.removeDevice(ben.id, 'https://b.example');
    // The newest are kept.
    for (let n = 0; n < 12; n += 1) await add(`https://${n}.example`, 'two', n);
    assert.deepEqual(
      (await notifications.devices(ann.id)).map(({ addedAt }) => addedAt),
      [11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
    );
    await users.remove(ann.id);
    assert.deepEqual(await devices(), []);
  },
};
