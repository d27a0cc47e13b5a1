import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserImpossible, openBrowser, signedIn } from '../tools/browser/browser.ts';
import { event, serve } from '../tools/service/harness.ts';
import { person } from '../tools/service/people.ts';
import { startPushService } from '../tools/service/push-service.ts';
import { until } from '../tools/until.ts';

const skip = browserImpossible() ?? false;

test('a browser subscribes on the page, shows what is pushed, and a press opens the list of call backs; somebody else who signs in ends it', {
  skip,
}, async (t) => {
  const push = await startPushService(t);
  const served = await serve(t, {
    webhookNetworks: ['127.0.0.1'],
    notificationTimes: { tickMs: 50, gatherMs: 0 },
  });
  const { url } = served;
  const browser = await openBrowser(t);
  const { page, context, trouble } = await signedIn(browser, served);
  await context.grantPermissions(['notifications'], { origin: url });
  // The browser's own push service is on the Internet: only the subscription is made here. Without windows, Chromium tells pages that
  // notifications are denied, whatever was granted.
  const { endpoint, publicKey, auth } = push.subscribe('phone');
  await context.addInitScript(
    `{
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
      Notification.requestPermission = async () => 'granted';
      let mine = null;
      const subscription = { toJSON: () => (${JSON.stringify({ endpoint, keys: { p256dh: publicKey, auth } })}),
        unsubscribe: async () => { mine = null; localStorage.setItem('unsubscribed', 'yes'); } };
      PushManager.prototype.subscribe = async (options) => { localStorage.setItem('asked', JSON.stringify(options)); return mine = subscription; };
      PushManager.prototype.getSubscription = async () => localStorage.getItem('asked') ? subscription : mine;
    }`,
  );
  await page.goto(`${url}/notifications`);
  await page.getByRole('button', { name: 'Get push messages here' }).click();
  await page.waitForURL('**/notifications?done');
  await page.getByText('this browser', { exact: true }).waitFor();
  assert.equal(await page.getByLabel('By push message').inputValue(), '0');
  const options = JSON.parse((await page.evaluate(`localStorage.getItem('asked')`)) as string);
  assert.equal(options.userVisibleOnly, true);

  // What the service sends is what the worker is given, by the browser's tools for developers.
  for (const status of ['ringing', 'completed'])
    await served.post(served.a.token, event({ id: 'one', status }));
  const [pushed] = await push.has(1);
  assert.equal(pushed?.key, options.applicationServerKey);
  const tools = await context.newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  tools.on(
    'ServiceWorker.workerRegistrationUpdated',
    ({ registrations: [one] }) => one && registered.resolve(one.registrationId),
  );
  await tools.send('ServiceWorker.enable');
  const registrationId = await registered.promise;
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  assert.equal(new URL(worker.url()).pathname, '/push-worker.js');
  await worker.evaluate(`{
    self.shown = [];
    registration.showNotification = async (title, options) => void shown.push({ title, ...options });
    clients.openWindow = async (url) => void shown.push(url);
  }`);
  const data = JSON.stringify(pushed?.message);
  await tools.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data });
  const shown = (count: number) =>
    until(`${count} things shown`, async () => {
      const all = (await worker.evaluate('shown')) as unknown[];
      return all.length === count && all;
    });
  const [notification] = (await shown(1)) as { title: string; data: string }[];
  assert.equal(notification?.title, "Missed call: Alpha's customer");
  await worker.evaluate(`dispatchEvent(Object.assign(new Event('notificationclick'), {
    notification: { data: shown[0].data, close: () => shown.push('closed') }, waitUntil: () => {} }))`);
  assert.deepEqual((await shown(3)).slice(1), ['closed', '/call-back']);
  assert.deepEqual(trouble, []);

  // Signed in again, the browser is known for the new session; another user's ends it.
  const renewed = page.waitForRequest('**/notifications/device');
  await context.clearCookies();
  const own = await person(served, { name: 'Zoe' });
  const signIn = async (link: string) => {
    await page.goto(link);
    await page.waitForURL((at) => at.pathname !== '/sign-in');
  };
  await signIn(await served.service.link());
  assert.match((await renewed).postData() ?? '', /renewed=/);
  await context.clearCookies();
  await signIn(own.link);
  await until(
    'the end of the subscription',
    async () => (await page.evaluate(`localStorage.getItem('unsubscribed')`)) === 'yes',
  );
  assert.equal(await page.evaluate(`localStorage.getItem('push-user')`), null);
});

test('without https there are no push messages, and a browser that blocks them is told from one that has none', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page, context } = await signedIn(browser, served);
  const says = async (text: string) => {
    await page.goto(`${served.url}/notifications`);
    await page.getByText(text).waitFor();
    assert.ok(await page.locator('#push button').isHidden());
  };
  await context.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'denied' })`);
  await says('This browser blocks notifications');
  await context.addInitScript(`delete window.PushManager`);
  await says('This browser offers no push messages here');
});
