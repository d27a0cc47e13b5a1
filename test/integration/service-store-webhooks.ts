import assert from 'node:assert/strict';
import type { Store } from '../../src/service/database/store.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import {
  type DueDelivery,
  personEvents,
  standardOptions,
  type Webhook,
  type WebhookEvent,
  webhookEvents,
} from '../../src/service/webhooks/webhook.ts';
import type { CallStatus } from '../../src/shared/api/contract/call-status.ts';
import type { DeliveryResult } from '../../src/shared/delivery/queue.ts';
import { recorded, report } from '../tools/service/recorded-request.ts';
import { until } from '../tools/until.ts';
import type { StoreTests } from './service-store-conformance.ts';

/** What webhooks ask of every store. */
export const webhookTests: StoreTests = {
  async 'a webhook has the events that it wants of calls of its account, once each and in order'({
    store,
    account,
  }) {
    const elsewhere = (await store.directory.addAccount({ uid: 'w', name: 'W', country: null })).id;
    const all = await add(store, account);
    const missed = await add(store, account, ['call.missed']);
    const off = await add(store, account);
    await store.webhooks.switchOff(off.id, null);
    const theirs = await add(store, elsewhere);
    let { cursor } = await store.webhooks.queueNew(null, 100);

    await happens(store, account, ['a', 'ringing', 100], ['b', 'ringing', 101]);
    const first = await store.webhooks.queueNew(cursor, 200);
    assert.deepEqual([...first.webhooks], [all.id]);
    await happens(store, account, ['a', 'answered', 102], ['a', 'completed', 103]);
    await happens(store, account, ['b', 'completed', 104], ['b', 'ringing', 105]);
    // The last one is too late, and discarded.
    const second = await store.webhooks.queueNew(first.cursor, 200);
    assert.deepEqual([...second.webhooks].sort(), [all.id, missed.id]);

    const begun = ['a call.ringing 100', 'b call.ringing 101', 'a call.answered 102'];
    const expected = [...begun, 'a call.ended 103', 'b call.missed 104'];
    assert.deepEqual(await queued(store, all), expected);
    assert.deepEqual(await queued(store, missed), ['b call.missed 104']);
    assert.deepEqual(await queued(store, theirs), []);
    assert.deepEqual(await queued(store, off), []);
    // From an older cursor, or from none, nothing comes twice.
    for (const from of [cursor, null]) {
      const again = await store.webhooks.queueNew(from, 200);
      assert.deepEqual([...again.webhooks], []);
      cursor = again.cursor;
    }
    assert.deepEqual(await queued(store, all), expected);
    // A webhook that is switched on again gets what happens from then on, whatever the cursor.
    await store.webhooks.switchOn(off.id, 104);
    await store.webhooks.queueNew(null, 200);
    assert.deepEqual(await queued(store, off), ['b call.missed 104']);
  },

  async 'from the cursor of another server, the events of a day are queued; those of a week ago never are'({
    store,
    account,
  }) {
    const day = 86_400_000;
    const webhook = await add(store, account);
    const { cursor } = await store.webhooks.queueNew(null, 100);
    await happens(store, account, ['old', 'ringing', 200], ['new', 'ringing', 200 + 7 * day]);
    const now = 201 + 7 * day;
    // A database that was restored into a new server: the one before had come further.
    const further = cursor.replace(/\d+(?=:|$)/g, '999999999');
    await store.webhooks.queueNew(further, now);
    assert.deepEqual(await queued(store, webhook), [`new call.ringing ${200 + 7 * day}`]);
    // Once the new server has come as far, its rows seem to have changed.
    await store.webhooks.queueNew(cursor, now);
    assert.deepEqual(await queued(store, webhook), [`new call.ringing ${200 + 7 * day}`]);
    await store.webhooks.queueNew(cursor, now - 1);
    assert.equal((await queued(store, webhook)).length, 2);
  },

  async 'many calls that change at once are all found by readers that follow each other'({ store, account }) {
    const webhook = await add(store, account);
    let { cursor } = await store.webhooks.queueNew(null, 100);
    let done = false;
    const reported = Promise.all(
      Array.from({ length: 300 }, async (_, n) => {
        for (const [i, status] of (['ringing', 'answered', 'completed'] as const).entries())
          await report(store, { account, id: `call-${n}`, status, at: 100 + i });
      }),
    ).finally(() => {
      done = true;
    });
    for (let last = false; !last; ) {
      last = done;
      ({ cursor } = await store.webhooks.queueNew(cursor, 200));
    }
    await reported;
    await store.webhooks.queueNew(cursor, 200);
    assert.equal(await store.webhooks.waiting(webhook.id), 900);
  },

  async 'programs read the events of their account in order, each once, from where they are'({
    store,
    account,
  }) {
    const elsewhere = (await store.directory.addAccount({ uid: 'w', name: 'W', country: null })).id;
    const { events, queueNew } = store.webhooks;
    const read = async (of: number, after: number, limit = 100) =>
      (await events.after(of, after, limit)).map(({ call, event, at }) => `${call?.id} ${event} ${at}`);
    await happens(store, account, ['before', 'ringing', 90]);
    assert.equal(await events.hasFeeds(), false);
    const start = await events.begin(account, 100);
    assert.equal(await events.hasFeeds(), true);
    assert.deepEqual(await events.begin(account, 101), start);
    const theirs = await events.begin(elsewhere, 100);
    await happens(store, account, ['a', 'ringing', 100], ['b', 'ringing', 101], ['a', 'answered', 102]);
    const { cursor } = await queueNew(null, 200);
    await happens(store, elsewhere, ['c', 'ringing', 103]);
    await happens(store, account, ['a', 'completed', 104], ['b', 'completed', 105]);
    await queueNew(cursor, 200);
    await queueNew(null, 200);
    const begun = ['a call.ringing 100', 'b call.ringing 101', 'a call.answered 102'];
    const all = [...begun, 'a call.ended 104', 'b call.missed 105'];
    assert.deepEqual(await read(account, start.id), all);
    assert.deepEqual(await read(account, start.id, 3), begun);
    assert.deepEqual(await read(elsewhere, theirs.id), ['c call.ringing 103']);
    const [, , third, , last] = await events.after(account, start.id, 100);
    assert.ok(third && last);
    assert.deepEqual(await read(account, third.id), all.slice(3));
    const newest = await events.newest([account, elsewhere, 987]);
    assert.equal(newest.get(account), last.id);
    assert.equal(newest.get(987), 0);

    const known = (of: number, { id, at }: { id: number; at: number }) =>
      events.isKnown(of, { id, at }, 8_000_000);
    for (const place of [start, third, last]) assert.equal(await known(account, place), true);
    assert.equal(await known(elsewhere, third), false);
    assert.equal(await known(account, { id: third.id, at: 1 }), false, 'of a database of before');
    // A call that is deleted leaves the places of its events.
    await store.calls.trim(101);
    assert.deepEqual(await read(account, start.id), ['b call.ringing 101', 'b call.missed 105']);
    assert.equal(await known(account, third), true);
    // One that was queued late is behind younger ones, and stays with them.
    await store.webhooks.trim(102);
    assert.deepEqual(await events.newestOf(account), { id: last.id, at: last.at });
    // What is deleted by its age is known to be gone, but for the newest place.
    await store.webhooks.trim(103);
    assert.equal(await known(account, third), false);
    assert.equal(await known(account, last), true);
    // Nobody has read for long: no events are queued any more, and what is begun again has none of before.
    await store.webhooks.trim(9_000_000);
    assert.equal(await events.hasFeeds(), false);
    assert.equal(await known(account, last), false);
    const again = await events.begin(account, 10_000_000);
    assert.ok(again.id > last.id);
    assert.deepEqual(await read(account, 0), []);
  },

  async 'an event that arrives after a reader has begun is queued, whatever its time, and after a clock that was ahead'({
    store,
    account,
  }) {
    const { events, queueNew } = store.webhooks;
    const close = (id: string, at: number) => {
      const one = recorded({ account, id, at, status: 'completed' });
      return store.requests.record({
        ...one,
        event: { ...one.event, closes: 'ringing' } as typeof one.event,
      });
    };
    await happens(store, account, ['a', 'ringing', 90], ['b', 'ringing', 91]);
    let { cursor } = await queueNew(null, 95);
    const webhook = await add(store, account);
    const start = await events.begin(account, 100);
    const read = async () =>
      (await events.after(account, start.id, 100)).map(({ call, event, at }) => `${call?.id} ${event} ${at}`);
    await close('a', 110);
    ({ cursor } = await queueNew(cursor, 120));
    assert.deepEqual(await read(), ['a call.missed 90']);
    assert.deepEqual(await queued(store, webhook), await read());
    await close('b', 130);
    await queueNew(null, 140);
    assert.deepEqual(
      await read(),
      ['a call.missed 90', 'b call.missed 91'],
      'also where the changes are unknown',
    );
    await store.webhooks.switchOn(webhook.id, 5_000);
    const elsewhere = (await store.directory.addAccount({ uid: 'w', name: 'W', country: null })).id;
    const ahead = await events.begin(elsewhere, 5_000);
    ({ cursor } = await queueNew(null, 150));
    await happens(store, account, ['c', 'ringing', 160]);
    await happens(store, elsewhere, ['d', 'ringing', 161]);
    await queueNew(cursor, 170);
    assert.deepEqual((await queued(store, webhook)).at(-1), 'c call.ringing 160');
    assert.deepEqual(
      (await events.after(elsewhere, ahead.id, 9)).map(({ call }) => call?.id),
      ['d'],
    );
  },

  async 'what happens to people is queued with the change, if anybody wants it, and sent in order for each of them'({
    store,
    account,
    other,
  }) {
    const { customers, callers } = store;
    const number = '+4930901820';
    const act = (kind: 'taken' | 'note', at: number, text: string | null = null, of = account) =>
      callers.act(of, { number, at, user: 'Eve', kind, text });
    const about = ({ event, person }: Pick<DueDelivery, 'event' | 'person'>) => `${person?.about} ${event}`;
    await act('note', 90, 'nobody wants to hear of it');
    const webhook = await add(store, account, ['call_back.taken', ...personEvents.slice(7)]);
    const { events } = store.webhooks;
    const start = await events.begin(other, 0);
    await act('taken', 100);
    await act('note', 110, 'first');
    await act('note', 120, 'theirs', other);
    const [note] = await callers.notes(account, { numbers: [number], since: 100, before: null, limit: 9 });
    assert.ok(note);
    const read = { id: note.id, number, at: 110, user: 'Eve' };
    await callers.editNote(account, { ...read, read: 'first' }, { by: 'Ann', text: 'second' });
    await customers.put(account, [customer({ reference: '7', name: 'Ann', numbers: [number] })]);
    await customers.put(account, [{ reference: '7', name: 'Anna' }]);

    const { cursor, webhooks } = await store.webhooks.queueNew(null, 200);
    assert.deepEqual([...webhooks], [webhook.id]);
    const query = { priority: 'fresh', now: 200, freshSince: 0, limit: 9 } as const;
    const due = () => store.webhooks.due(webhook.id, query);
    // Twice is once: a process that died before it had noted what it had queued.
    await store.webhooks.queueNew(cursor, 200);
    const [ofCustomer, taken] = await due();
    assert.ok(ofCustomer && taken);
    assert.deepEqual([ofCustomer, taken].map(about), ['7 customer.added', `${number} call_back.taken`]);
    assert.deepEqual([ofCustomer.person?.customer?.name, taken.person?.customer?.name], ['Anna', 'Anna']);
    assert.equal(await store.webhooks.waiting(webhook.id), 5);
    // What is not wanted is passed over, and never shown.
    await store.webhooks.skip(webhook.id, [taken.id, ofCustomer.id]);
    const [changed, added] = await due();
    assert.ok(changed && added);
    assert.deepEqual([changed, added].map(about), ['7 customer.changed', `${number} note.added`]);
    assert.deepEqual(added.person?.action, { user: 'Ann', text: 'second', seconds: null, due: null });
    assert.equal((await page(store, webhook)).deliveries.length, 3);
    assert.equal(await store.webhooks.sendAgain(webhook.id, taken.id, 300), 0);
    const { next } = reader(store, webhook);
    assert.deepEqual(await next(added.id, { outcome: 'retry', nextAt: 1_000 }), []);
    assert.deepEqual((await due()).map(about), ['7 customer.changed']);
    const delivered = {
      seq: added.id,
      callId: '',
      outcome: 'delivered',
      at: 300,
      counted: true,
      durationMs: 1,
    } as const;
    assert.deepEqual((await store.webhooks.record(webhook.id, delivered, 'ok')).map(about), [
      `${number} note.changed`,
    ]);

    // A removed note has nothing to tell but that it is gone.
    assert.equal(await callers.removeNote(account, { ...read, user: 'Ann', read: 'second' }), true);
    assert.equal(
      (await callers.notes(account, { numbers: [number], since: 100, before: null, limit: 9 })).length,
      0,
    );
    await customers.remove(account, '7');
    await store.webhooks.queueNew(cursor, 200);
    const left = await due();
    assert.deepEqual(left.map(about), ['7 customer.changed', `${number} note.changed`]);
    assert.deepEqual(
      left.map(({ person }) => [person?.action, person?.customer]),
      [
        [null, null],
        [null, null],
      ],
    );
    await store.webhooks.skip(
      webhook.id,
      left.map(({ id }) => id),
    );
    assert.deepEqual((await due()).map(about), ['7 customer.removed', `${number} note.removed`]);
    assert.deepEqual(
      (await due()).map(({ person }) => person?.actionAt),
      [null, 110],
    );

    // Their programs read theirs, in order; what is gone with its age is passed over.
    assert.deepEqual((await events.after(other, start.id, 9)).map(about), [`${number} note.added`]);
    await store.webhooks.trim(Date.now() + 1);
    assert.deepEqual(await events.after(other, start.id, 9), []);
    assert.equal(await store.webhooks.waiting(webhook.id), 0);
    await store.calls.trim(1_000);
    await store.webhooks.queueNew(cursor, 200);
    assert.equal(await store.webhooks.waiting(webhook.id), 0, 'what goes by its age is no news');
  },

  async 'events that were given up are counted'({ store, account, other }) {
    const webhook = await add(store, account);
    assert.deepEqual([...(await store.webhooks.failedCounts(account))], [[webhook.id, 0]]);
    await happens(store, account, ['a', 'ringing', 90], ['b', 'ringing', 91]);
    await store.webhooks.queueNew(null, 95);
    assert.deepEqual([...(await store.webhooks.failedCounts(account))], [[webhook.id, 0]], 'they wait');
    await store.webhooks.switchOff(webhook.id, null);
    assert.deepEqual([...(await store.webhooks.failedCounts(account))], [[webhook.id, 2]]);
    assert.deepEqual([...(await store.webhooks.failedCounts(other))], []);
  },

  async 'a webhook keeps its body, headers and filter until they are changed'({ store, account }) {
    const shape = { format: 'form', template: 'a={{type}}', language: 'de' } as const;
    const filter = { called: ['+4930*'], segments: [], customers: ['7'] };
    const options = { shape, headers: 'sealed', filter };
    await store.webhooks.add({
      uid: 'x',
      account,
      url: 'https://a.example',
      events: ['call.ringing'],
      since: 1,
      options,
    });
    const listed = async () => {
      const [{ id, shape, headers, filter } = { id: 0, ...standardOptions }] =
        await store.webhooks.list(account);
      return { id, options: { shape, headers, filter } };
    };
    const { id } = await listed();
    assert.deepEqual((await listed()).options, options);
    await store.webhooks.change(id, { url: 'https://b.example' });
    assert.deepEqual((await listed()).options, options);
    await store.webhooks.change(id, { options: standardOptions });
    assert.deepEqual((await listed()).options, standardOptions);
  },

  async 'a feed that is read goes on, however long nothing happens'({ store, account }) {
    const { events } = store.webhooks;
    const day = 86_400_000;
    const start = await events.begin(account, day);
    assert.equal(await events.isKnown(account, start, 9 * day), true);
    await store.webhooks.trim(8 * day);
    assert.equal(await events.isKnown(account, start, 9 * day), true);
    await store.webhooks.trim(10 * day);
    assert.equal(await events.isKnown(account, start, 10 * day), false);
  },

  async 'the next event of a call waits for the one before; what is refused is tried again or given up'({
    store,
    account,
  }) {
    const webhook = await add(store, account);
    await happens(store, account, ['a', 'ringing', 100], ['a', 'completed', 110], ['b', 'ringing', 120]);
    await store.webhooks.queueNew(null, 200);
    const { id, due, next } = reader(store, webhook);

    assert.deepEqual(await due('fresh'), ['b call.ringing', 'a call.ringing']);
    assert.deepEqual(await due('fresh', { freshSince: 115 }), ['b call.ringing']);
    assert.deepEqual(await due('backlog', { freshSince: 115 }), ['a call.ringing']);
    assert.deepEqual(await due('fresh', { limit: 1 }), ['b call.ringing']);
    const [ringing, missed] = [await id('a', 'call.ringing'), await id('a', 'call.missed')];

    // A failure that does not count leaves it where it is; one that does makes it wait.
    assert.deepEqual(await next(ringing, { outcome: 'retry', counted: false, httpStatus: 404 }), []);
    assert.deepEqual(await due('fresh'), ['b call.ringing', 'a call.ringing']);
    await next(ringing, { outcome: 'retry', nextAt: 1_000, httpStatus: 500 });
    assert.deepEqual(await due('fresh'), ['b call.ringing']);
    assert.deepEqual(await due('retry', { now: 999 }), []);
    assert.equal(await store.webhooks.nextDue(webhook.id, 999), 1_000);
    assert.deepEqual(await due('retry', { now: 1_000 }), ['a call.ringing']);
    assert.equal(await store.webhooks.nextDue(webhook.id, 1_000), undefined);
    assert.deepEqual(await next(ringing, { outcome: 'dead', rejected: true, httpStatus: 400 }), [
      'a call.missed',
    ]);
    assert.deepEqual(await next(missed, { outcome: 'delivered', httpStatus: 204 }), []);
    assert.equal(await store.webhooks.waiting(webhook.id), 1);

    const { deliveries } = await page(store, webhook);
    const row = (found: number) => deliveries.find((one) => one.id === found);
    assert.deepEqual(row(ringing), {
      id: ringing,
      event: 'call.ringing',
      at: 100,
      state: 'failed',
      tries: 3,
      triedAt: 300,
      httpStatus: 400,
      answer: 'said',
      callId: 'a',
    });
    assert.deepEqual([row(missed)?.state, row(missed)?.httpStatus], ['delivered', 204]);
    assert.deepEqual((await page(store, webhook, { failed: true })).deliveries.length, 1);
    const newest = await page(store, webhook, { limit: 2 });
    assert.equal(newest.deliveries.length, 2);
    assert.equal((await page(store, webhook, { before: newest.next, limit: 2 })).deliveries.length, 1);
    const ofCall = async (of: Webhook, call: string, more = {}) =>
      (await page(store, of, { call, ...more })).deliveries.map(({ event }) => event);
    assert.deepEqual(await ofCall(webhook, 'a'), ['call.missed', 'call.ringing']);
    assert.deepEqual(await ofCall(webhook, 'a', { failed: true }), ['call.ringing']);
    assert.deepEqual(await ofCall(webhook, 'a', { before: missed }), ['call.ringing']);
    assert.deepEqual(await ofCall(webhook, 'nobody'), []);
    const another = await store.directory.addAccount({ uid: 'other', name: 'Other', country: null });
    assert.deepEqual(await ofCall(await add(store, another.id), 'a'), [], 'a call of another account');

    // Sent again by a person, as one that was never tried.
    assert.equal(await store.webhooks.sendAgain(webhook.id, missed, 400), 1);
    assert.equal(await store.webhooks.sendAgain(webhook.id, null, 400), 1);
    assert.equal(await store.webhooks.sendAgain(webhook.id + 1, missed, 400), 0);
    assert.deepEqual((await due('fresh')).sort(), ['a call.ringing', 'b call.ringing']);
    // What has waited too long is given up.
    assert.equal(await store.webhooks.expire(webhook.id, 300), 1);
    assert.deepEqual(await due('fresh'), ['a call.ringing']);
    // Switched off, nothing waits; a result that is late is kept all the same.
    await store.webhooks.switchOff(webhook.id, 'gone');
    assert.equal(await store.webhooks.waiting(null), 0);
    await next(ringing, { outcome: 'retry', counted: false, httpStatus: 410 });
    const gone = (await page(store, webhook)).deliveries.find((one) => one.id === ringing);
    assert.deepEqual([gone?.state, gone?.httpStatus], ['failed', 410]);
  },

  async 'a webhook with more deliveries than are changed in one go is switched off, and sends all again'({
    store,
    account,
  }) {
    const [webhook, other] = [await add(store, account), await add(store, account)];
    const count = 2_100;
    const { cursor } = await store.webhooks.queueNew(null, 100);
    await Promise.all(
      Array.from({ length: count }, (_, n) => report(store, { account, id: `call-${n}`, at: 100 + n })),
    );
    await store.webhooks.queueNew(cursor, 200);
    const waiting = () => Promise.all([webhook, other].map(({ id }) => store.webhooks.waiting(id)));
    const due = (priority: 'fresh' | 'backlog') =>
      store.webhooks.due(webhook.id, { priority, now: 1e9, freshSince: 1_000, limit: 5_000 });
    assert.deepEqual(await waiting(), [count, count]);
    await store.webhooks.switchOff(webhook.id, null);
    assert.deepEqual(await waiting(), [0, count]);
    await store.webhooks.switchOn(webhook.id, 1e9);
    assert.equal(await store.webhooks.sendAgain(webhook.id, null, 900), count);
    assert.equal((await due('backlog')).length, count);
    assert.equal(await store.webhooks.expire(webhook.id, 901), count);
    assert.deepEqual(await waiting(), [0, count]);
    assert.equal(await store.webhooks.sendAgain(webhook.id, null, 2_000), count);
    assert.equal(await store.webhooks.sendAgain(webhook.id, null, 2_000), 0);

    // From the moment when it is off nothing is sent, although much waits still.
    const off = store.webhooks.switchOff(webhook.id, null);
    await until('it to be off', async () => !(await store.webhooks.list(account))[0]?.enabled);
    assert.deepEqual(await due('fresh'), []);
    await off;
    assert.deepEqual(await waiting(), [0, count]);
  },

  async 'one process has the lease to deliver, until it expires or is given back'({ store }) {
    const { lease } = store.webhooks;
    assert.deepEqual(await lease('one', 100, 200), { cursor: null });
    assert.equal(await lease('two', 150, 250), undefined);
    assert.deepEqual(await lease('one', 150, 250, 'here'), { cursor: 'here' });
    assert.equal(await lease('two', 250, 350), undefined);
    assert.deepEqual(await lease('two', 251, 351), { cursor: 'here' });
    assert.equal(await lease('one', 260, 360), undefined);
    assert.deepEqual(await lease('two', 270, 0, 'there'), { cursor: 'there' });
    assert.deepEqual(await lease('one', 271, 1e9), { cursor: 'there' });
    // A clock that was an hour ahead.
    assert.deepEqual(await lease('two', 280, 380), { cursor: 'there' });
  },

  async 'a webhook is changed and removed; its deliveries go with it, with calls, and with time'({
    store,
    account,
  }) {
    const webhook = await add(store, account, ['call.ringing']);
    assert.deepEqual(webhook.events, ['call.ringing']);
    const listed = async () => (await store.webhooks.list(account))[0] as Webhook;
    const { change } = store.webhooks;
    await change(webhook.id, { url: 'https://b.example', events: ['call.ended', 'call.missed'] });
    await change(webhook.id, { replaces: 1, oldSecretUntil: 900 });
    await change(webhook.id, { failingSince: 5 });
    assert.deepEqual(await listed(), {
      ...webhook,
      url: 'https://b.example',
      events: ['call.ended', 'call.missed'],
      secretCounter: 2,
      oldSecretUntil: 900,
      failingSince: 5,
    });
    await store.webhooks.switchOff(webhook.id, 'failing');
    assert.deepEqual([(await listed()).enabled, (await listed()).failure], [false, 'failing']);
    await store.webhooks.switchOn(webhook.id, 7);
    const { enabled, failure, failingSince, since, oldSecretUntil } = await listed();
    assert.deepEqual([enabled, failure, failingSince, since, oldSecretUntil], [true, null, null, 7, 900]);
    await change(webhook.id, { replaces: 2 });
    await assert.rejects(change(webhook.id, { replaces: 2, oldSecretUntil: 9 }), { statusCode: 409 });
    assert.deepEqual([(await listed()).secretCounter, (await listed()).oldSecretUntil], [3, null]);

    const day = 86_400_000;
    for (const [n, id] of ['old', 'mid', 'new'].entries())
      await report(store, { account, id, status: 'completed', at: (n + 1) * 10 * day });
    await store.webhooks.queueNew(null, 10 * day);
    await store.webhooks.addTest(webhook.id, 40 * day);
    const left = async () =>
      (await page(store, webhook)).deliveries.map(({ callId, event }) => callId ?? event);
    assert.deepEqual(await left(), ['test', 'new', 'mid', 'old']);
    await store.calls.trim(15 * day);
    assert.deepEqual(await left(), ['test', 'new', 'mid']);
    assert.equal(await store.webhooks.trim(25 * day), 1);
    assert.deepEqual(await left(), ['test', 'new']);
    await store.webhooks.remove(webhook.id);
    assert.deepEqual(await store.webhooks.list(account), []);
    assert.deepEqual(await left(), []);
  },
};

/** Reports events in turn. */
async function happens(store: Store, account: number, ...events: [string, CallStatus, at: number][]) {
  for (const [id, status, at] of events) await report(store, { account, id, status, at });
}

let uids = 0;
async function add(
  store: Store,
  account: number,
  events: readonly WebhookEvent[] = webhookEvents,
): Promise<Webhook> {
  const uid = `webhook-${++uids}`;
  await store.webhooks.add({ uid, account, url: 'https://a.example/hook', events, since: 100 });
  return (await store.webhooks.list(null)).find((webhook) => webhook.uid === uid) as Webhook;
}

const page = (
  store: Store,
  { id }: Webhook,
  more: { failed?: boolean; before?: number | null; limit?: number; call?: string } = {},
) => store.webhooks.page({ webhook: id, failed: false, before: null, limit: 50, ...more });

/** Calls, events and times, oldest first. */
const queued = async (store: Store, webhook: Webhook) =>
  (await page(store, webhook)).deliveries
    .map(({ callId, event, at }) => `${callId} ${event} ${at}`)
    .reverse();

function reader(store: Store, webhook: Webhook) {
  const named = ({ call, event }: { call: { id: string } | null; event: string }) => `${call?.id} ${event}`;
  return {
    id: async (call: string, event: string) => {
      const { deliveries } = await page(store, webhook);
      return deliveries.find((one) => one.callId === call && one.event === event)?.id as number;
    },
    due: async (
      priority: 'fresh' | 'backlog' | 'retry',
      more: { now?: number; freshSince?: number; limit?: number } = {},
    ) => {
      const query = { priority, now: 200, freshSince: 0, limit: 9, ...more };
      return (await store.webhooks.due(webhook.id, query)).map(named);
    },
    next: async (seq: number, result: Partial<DeliveryResult>, answer = 'said') => {
      const one = {
        seq,
        callId: '',
        outcome: 'delivered',
        at: 300,
        counted: true,
        durationMs: 1,
        ...result,
      } as const;
      return (await store.webhooks.record(webhook.id, one, answer)).map(named);
    },
  };
}
