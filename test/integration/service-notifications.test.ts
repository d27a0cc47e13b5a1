import assert from 'node:assert/strict';
import { startMailServer } from '../../src/shared/mail/mail-server.fixture.ts';
import { testOnEachDatabase as test } from '../tools/servers/each-database.ts';
import { event, serve } from '../tools/service/harness.ts';
import { type Browsing, browse } from '../tools/service/people.ts';
import { startPushService } from '../tools/service/push-service.ts';
import { until } from '../tools/until.ts';

const path = '/notifications';

/** What a plain-text mail says. */
const textIn = (data = '') =>
  data
    .replace(/=\r\n/g, '')
    .replace(/(=[0-9A-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('=', ''), 'hex').toString());

test('a user chooses what to hear of, gets tests and missed calls by mail and push, and no more after signing out', async (t, database) => {
  const mails = await startMailServer();
  t.after(mails.stop);
  const push = await startPushService(t);
  const served = await serve(t, {
    database,
    mail: { host: '127.0.0.1', port: mails.port, secure: false, login: undefined, from: 'pbx@example.com' },
    webhookNetworks: ['127.0.0.1'],
    publicUrl: 'https://calls.example.com',
    notificationTimes: { tickMs: 50, gatherMs: 0 },
  });
  const place = { ...served, database };
  const origin = { origin: 'https://calls.example.com' };
  const ann = await browse(place, 'ann');
  const ben = await browse(place, 'ben', { account: 'Beta' });
  const send = (who: Browsing, to: string, fields: Record<string, string | readonly string[]> = {}) =>
    who.send(`${path}${to}`, fields, origin);
  const misses = async (
    id: string,
    { token }: { token: string } = served.a,
    also: Record<string, string> = {},
  ) => {
    for (const status of ['ringing', 'completed']) await served.post(token, event({ id, status, ...also }));
  };
  const wrong = async (fields: Record<string, string>, text: RegExp) => {
    const answer = await send(ann, '', fields);
    assert.equal(answer.status, 422);
    assert.match(answer.text, text);
  };

  const begin = await ann.read(path);
  assert.match(begin.plain, /For you only/);
  assert.doesNotMatch(begin.plain, /Send me a test/, 'nothing is on');
  await wrong({ mail: '0', address: 'no address' }, /Enter one e-mail address/);
  await wrong({ mail: '0', address: '' }, /Enter one e-mail address/);
  await wrong({ address: 'a@b.example', quiet_from: '22:00', quiet_to: '' }, /Enter both times/);
  await wrong({ address: 'a@b.example', quiet_from: '22:00', quiet_to: '22:00' }, /Enter both times/);
  await wrong({ address: 'a@b.example', quiet_from: '25:00', quiet_to: '22:00' }, /Enter both times/);
  for (const minutes of ['7', '-1', 'x', '1e3'])
    await wrong({ mail: minutes, address: 'a@b.example' }, /Not possible|not|valid/i);
  // Without a segment that is gone they would hear of all calls.
  await wrong({ mail: '0', address: 'a@b.example', segments: 'Gone' }, /Choose one from the list/);
  assert.equal((await ann.send(path, { mail: '0', token: 'x' }, origin)).status, 403);
  assert.equal((await ann.send(path, { mail: '0' }, { origin: 'https://elsewhere.example' })).status, 403);

  const phone = push.subscribe('phone');
  const refused: Record<string, string>[] = [
    { ...phone, endpoint: 'file:///etc/passwd' },
    { ...phone, endpoint: `${phone.endpoint}${'x'.repeat(1_000)}` },
    { ...phone, publicKey: 'short' },
    { ...phone, auth: '' },
    {},
  ];
  for (const device of refused) assert.equal((await send(ann, '/device', device)).status, 422);
  assert.equal((await send(ann, '/device', phone)).status, 204);
  // The browser switches push messages on; mail is chosen by the form, which keeps that.
  assert.match((await ann.read(path)).plain, /Send me a test/);
  const chosen = {
    address: 'ann@example.com',
    mail: '0',
    push: '0',
    segments: 'VIP',
    numbers: 'none',
  };
  assert.equal((await send(ann, '', chosen)).headers.location, `${path}?done`);
  const page = (await ann.read(path)).main;
  assert.match(page, /value="ann@example.com"/);
  assert.match(page, /name="segments" value="VIP" checked/);
  assert.doesNotMatch((await ben.read(path)).text, /ann@example.com|127\.0\.0\.1/);
  assert.match((await ann.read('/audit')).plain, /mail after 0 min to ann@example.com, push after 0 min/);

  assert.equal((await send(ann, '/test')).headers.location, `${path}?sent`);
  assert.match(textIn((await mails.has(1))[0]?.data), /This is how you hear of missed calls/);
  assert.deepEqual((await push.has(1))[0]?.message, {
    title: 'Test of notifications',
    body: 'This is how you hear of missed calls.',
    url: path,
  });
  const again = await send(ann, '/test');
  assert.equal(again.status, 429);
  assert.match(again.text, /Try again in a minute/);
  // Off and on: what holds it after a test goes.
  await send(ann, '', { address: '' });
  await send(ann, '', chosen);

  await misses('stranger', served.a, { from: '+4930555555' });
  await misses('theirs', served.b);
  await misses('vip');
  const [, mail] = await mails.has(2);
  assert.deepEqual(mail?.to, ['ann@example.com']);
  const text = textIn(mail?.data);
  assert.match(text, /Alpha: Missed call: Alpha's customer/);
  assert.match(text, /\+49 30 901820/);
  assert.match(text, /https:\/\/calls\.example\.com\/call-back/);
  assert.doesNotMatch(text, /555555/);
  const [, message] = await push.has(2);
  assert.equal(message?.browser, 'phone');
  assert.match(JSON.stringify(message?.message), /Missed call: Alpha's customer.*"url":"\/call-back"/);
  assert.equal(message?.claims?.sub, 'https://calls.example.com');

  // A browser that is gone is forgotten, one of another user cannot be removed.
  const tablet = push.subscribe('tablet');
  const renewed = { ...tablet, renewed: '' };
  assert.equal((await send(ann, '/device', renewed)).status, 404, 'it was never added');
  assert.equal((await send(ann, '/device', tablet)).status, 204);
  assert.equal((await send(ann, '/device', renewed)).status, 204);
  assert.equal((await send(ben, '/device', renewed)).status, 404, 'it is of another user');
  assert.equal((await ann.read(path)).main.match(/device\/remove/g)?.length, 2);
  await send(ben, '/device/remove', { endpoint: tablet.endpoint });
  push.answers.set('phone', 410);
  await misses('later');
  await push.has(3);
  await mails.has(3);
  await until(
    'one browser is left',
    async () => (await ann.read(path)).main.match(/device\/remove/g)?.length === 1,
  );
  assert.equal(
    (await served.ask(`${served.url}/push-worker.js`)).headers['content-type'],
    'text/javascript; charset=utf-8',
  );

  // Nor does a user who switches it off and on send tests without end, to whatever address.
  const sent = mails.received.length;
  for (let tests = 1; tests <= 6; tests += 1) {
    await send(ben, '', { address: `ben${tests}@example.com`, mail: '240' });
    const { status, text } = await send(ben, '/test');
    assert.equal(status, tests <= 5 ? 303 : 429, `test ${tests}`);
    if (tests > 5) assert.match(text, /Too many attempts/);
    await send(ben, '', { address: '' });
  }
  assert.equal(mails.received.length, sent + 5);

  // Signing out ends the browser's messages; mail goes on.
  await ann.send('/sign-out', {}, origin);
  await misses('last');
  await mails.has(sent + 6);
  assert.equal(push.received.length, 3);
  assert.equal(mails.received.length, sent + 6);

  // A segment that goes takes nobody's choice along: it matches no call then. Cay is told after ann.
  const cay = await browse(place, 'cay');
  await send(cay, '', { address: 'cay@example.com', mail: '0' });
  const remove = (query = '') =>
    served.ask(`${served.url}/admin/segments/VIP${query}`, { token: served.a.admin, method: 'DELETE' });
  const inUse = await remove();
  assert.equal(inUse.status, 409);
  assert.match(inUse.text, /Chosen for: notifications of ann\./);
  assert.equal((await remove('?force=true')).status, 204);
  await misses('of-nobody');
  await mails.has(sent + 7);
  assert.deepEqual(mails.received.map(({ to }) => to.join()).slice(sent + 6), ['cay@example.com']);
});
