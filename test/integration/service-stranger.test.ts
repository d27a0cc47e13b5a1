import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { event, serve } from '../tools/service/harness.ts';
import { browse } from '../tools/service/people.ts';
import { type ScreenCall, type ScreenEvent, screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';

const stranger = '+493023125000';

/** Which calls show it, `service-store-who-calls.ts` tries. */
test('the customer who has a number now is shown as the caller on screens at once, however the customer was changed', async (t) => {
  const served = await serve(t);
  const { a, ask, url, post } = served;
  const anna = await browse(served, 'Anna');
  for (const [id, status] of [
    ['missed', 'completed'],
    ['now', 'ringing'],
  ])
    await post(a.token, event({ id, status, from: stranger }));
  const shown = await showing(t, screenEvents(url, { cookie: anna.cookie }));
  /** However many events it takes: what changes twice in a moment may be sent once. */
  const show = (what: string, wanted: string) =>
    until(what, () => ['now', 'missed'].every((id) => describe(shown.get(id)) === wanted), {
      state: () => [...shown.values()].map(describe),
    });
  async function isKnown(name: string | null, segment: string | null = null): Promise<void> {
    await show(`calls of ${name}`, `${name}, ${segment}, ${segment && 10}`);
    assert.equal((await anna.read('/call-back')).plain.includes(name ?? 'Stern'), name !== null);
  }

  const given = { reference: '7', name: 'Maria Stern', segment: 'VIP', number: '030 23125000' };
  await anna.send('/person/save', given);
  await isKnown('Maria Stern', 'VIP');
  await anna.send('/person/save', { ...given, customer: '7', number: '030 999' });
  await isKnown(null);
  const table = 'reference,name,segment,numbers\n7,Eva Stern,VIP,030 23125000\n';
  await anna.send('/customers/import', { table, confirmed: 'yes' });
  await isKnown('Eva Stern', 'VIP');
  await ask(`${url}/admin/segments/VIP`, { token: a.admin, method: 'PUT', body: { priority: 20 } });
  await show('the new priority', 'Eva Stern, VIP, 20');
  await ask(`${url}/admin/segments/VIP`, { token: a.admin, method: 'DELETE' });
  await isKnown('Eva Stern');
  // A stranger gets a name in two presses: a new one, or that of a customer with another number.
  await anna.send('/person/save', { customer: '7', number: '' });
  await isKnown(null);
  const asked = await anna.send('/person/name', { number: stranger, name: 'eva stern' });
  assert.equal(asked.status, 200, 'the number is added after a question');
  assert.match(asked.text, /name="join" value="7"/);
  const joined = await anna.send('/person/name', { number: stranger, name: 'eva stern', join: '7' });
  assert.equal(joined.status, 303);
  await isKnown('Eva Stern');
  await anna.send('/person/save', { customer: '7', number: '' });
  await isKnown(null);
  await anna.send('/person/name', { number: stranger, name: 'Eva Stern', new: '1' });
  await isKnown('Eva Stern');
  const [, other = ''] = /customer=([0-9a-f]{16})/.exec((await anna.read('/customers')).text) ?? [];
  await anna.send('/person/merge', { customer: '7', other });
  assert.equal((await anna.read(`/person?customer=${other}`)).status, 404);
  await isKnown('Eva Stern');
  await anna.send('/person/remove', { customer: '7' });
  await isKnown(null);
});

type Shown = Pick<ScreenCall, 'id' | 'customer' | 'segment' | 'priority'>;

const describe = (call: Shown | undefined) =>
  call && `${call.customer?.name ?? null}, ${call.segment}, ${call.priority}`;

/** What a screen shows of each call, by its id; kept up to date until the test ends. */
async function showing(t: TestContext, screen: AsyncGenerator<ScreenEvent>): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  const show = (event: ScreenEvent) => {
    if ('calls' in event && event.event !== 'about' && event.event !== 'who')
      for (const call of event.calls) shown.set(call.id, call);
    if ('missed' in event) for (const call of event.missed) shown.set(call.id, call);
  };
  const first = await screen.next();
  if (!first.done) show(first.value);
  let ended = false;
  t.after(() => {
    ended = true;
    return screen.return(undefined);
  });
  void (async () => {
    for await (const event of screen) show(event);
  })().catch((error) => assert.ok(ended, error));
  return shown;
}
