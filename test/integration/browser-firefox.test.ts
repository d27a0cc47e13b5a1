import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givePast } from '../office/past.ts';
import { sizes } from './browser.ts';
import { addBridgeReport, addWebhook, everyPage } from './every-page.ts';
import { firefoxImpossible, openFirefox } from './firefox.ts';
import { password, withStore } from './people.ts';
import { event, serve } from './service-harness.ts';

const skip = firefoxImpossible() ?? false;

const card = (id: string) => `document.querySelector('#bar [data-call="${id}"]')`;

test('Firefox: every page in two sizes, without an error and without scrolling sideways; and the bar', {
  skip,
}, async (t) => {
  const { url, a, post, ...served } = await serve(t);
  const firefox = await openFirefox(t);
  await firefox.resize(sizes.desk.width, sizes.desk.height);
  await firefox.goto(await served.service.link());
  // With all of the form, and what its script chooses in it.
  await firefox.waitFor(`location.pathname === '/welcome' && document.readyState === 'complete'`);
  await firefox.evaluate(`(() => {
    const field = document.querySelector('form [type=password]');
    field.value = '${password}';
    field.form.requestSubmit();
  })()`);
  await firefox.waitFor(`location.pathname === '/start' && document.readyState === 'complete'`);
  const pages = await withStore(served, async (store) => {
    await givePast(store, { account: 1, integration: 1, now: Date.now(), days: 14, timeZone: 'UTC' });
    await addWebhook(store, 1);
    await addBridgeReport(store, 1);
    return everyPage(store, 1);
  });
  for (const { path, name } of pages) {
    await firefox.goto(url + path);
    await firefox.waitFor(`document.querySelector('.link.live')`);
    assert.match(String(await firefox.evaluate('document.title')), / · PBX Bridge$/, name);
    for (const { width, height } of [sizes.desk, sizes.narrow]) {
      await firefox.resize(width, height);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.equal(await firefox.evaluate(wide), 0, `${name}, ${width} wide`);
    }
  }

  await firefox.evaluate(`localStorage.setItem('calls-open', 'on')`);
  await firefox.goto(`${url}/customers`);
  await firefox.waitFor(`document.querySelector('.link.live')`);
  const press = (name: string) =>
    firefox.evaluate(`[...${card('lost')}.querySelectorAll('button')]
      .find((button) => (button.ariaLabel ?? button.textContent).includes('${name}')).click()`);
  await post(a.token, event({ id: 'one' }));
  await firefox.waitFor(`${card('one')}?.textContent.includes('ringing')`);
  await post(a.token, event({ id: 'one', status: 'answered', caller_id: '1001' }));
  await firefox.waitFor(`${card('one')}?.textContent.includes('answered by')`);
  await post(a.token, event({ id: 'one', status: 'completed' }));
  await firefox.waitFor(`${card('one')} === null`);

  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost', status }));
  await firefox.waitFor(`${card('lost')}?.textContent.includes('missed')`);
  await press('call');
  await firefox.waitFor(`${card('lost')}?.textContent.includes('calls back')`);
  await press('Done');
  await firefox.waitFor(`${card('lost')} === null`);
  assert.deepEqual(firefox.trouble, []);
});
