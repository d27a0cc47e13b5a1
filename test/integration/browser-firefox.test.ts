import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizes } from '../tools/browser/browser.ts';
import { firefoxImpossible, openFirefox } from '../tools/browser/firefox.ts';
import { layoutTroubleText } from '../tools/browser/layout-trouble.ts';
import { givePast } from '../tools/office/past.ts';
import { addBridgeReport, addWebhook, everyPage } from '../tools/service/every-page.ts';
import { event, serve } from '../tools/service/harness.ts';
import { password, withStore } from '../tools/service/people.ts';

const skip = firefoxImpossible() ?? false;

const card = (id: string) => `document.querySelector('#now [data-call="${id}"]')`;
const live = `document.querySelector('#now[aria-busy=false]')`;

/** CSS px; the last one is the desk's, whose calls are a column. */
const widths = [320, 390, 768, 834, 1024, 1366, 1440, 2560];

test('Firefox: every page in windows of all widths, without an error and well laid out; and the calls now', {
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
  await firefox.waitFor(`location.pathname === '/integrations' && document.readyState === 'complete'`);
  const pages = await withStore(served, async (store) => {
    await givePast(store, { account: 1, integration: 1, now: Date.now(), days: 14, timeZone: 'UTC' });
    await addWebhook(store, 1);
    await addBridgeReport(store, 1);
    return everyPage(store, 1);
  });
  for (const { path, name } of pages) {
    await firefox.goto(url + path);
    await firefox.waitFor(live);
    assert.match(String(await firefox.evaluate('document.title')), / · PBX Bridge$/, name);
    await firefox.evaluate(
      `document.querySelectorAll('main details:not(.menu)').forEach((part) => part.open = true)`,
    );
    for (const width of widths) {
      await firefox.resize(width, 800);
      assert.equal(await firefox.evaluate(layoutTroubleText), '', `${name}, ${width} wide`);
    }
  }

  await firefox.resize(sizes.desk.width, sizes.desk.height);
  await firefox.goto(`${url}/customers`);
  await firefox.waitFor(live);
  await post(a.token, event({ id: 'one' }));
  await firefox.waitFor(`${card('one')}?.textContent.includes('Ringing')`);
  await post(a.token, event({ id: 'one', status: 'answered', caller_id: '1001' }));
  await firefox.waitFor(`${card('one')}?.textContent.includes('with 1001')`);
  await post(a.token, event({ id: 'one', status: 'completed' }));
  await firefox.waitFor(`${card('one')} === null`);

  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost', status }));
  const waiting = `[...document.querySelectorAll('.later li')].find(({ textContent }) => textContent.includes("Alpha's customer"))`;
  const press = `${waiting}.querySelector('button').click()`;
  await firefox.waitFor(`${waiting}?.textContent.includes('missed')`);
  await firefox.evaluate(press);
  await firefox.waitFor(`${waiting}?.textContent.includes('you call back')`);
  await firefox.evaluate(press);
  await firefox.waitFor(`${waiting} === undefined`);
  assert.deepEqual(firefox.trouble, []);
});
