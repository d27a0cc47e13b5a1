import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { browserImpossible, keepPicture, openBrowser, signedIn, sizes } from '../tools/browser/browser.ts';
import { layoutTrouble } from '../tools/browser/layout-trouble.ts';
import { givePast } from '../tools/office/past.ts';
import { event, type Served, serve, startAgain } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { storeCalls } from '../tools/service/stored-calls.ts';

const skip = browserImpossible() ?? false;
/** A span that ends today, as the address of a report has it. */
const lastDays = (days: number) => {
  const [from, to] = [days - 1, 0].map((ago) =>
    new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
  );
  return `from=${from}&to=${to}`;
};
test('the API log is live, and can be paused', { skip }, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page, trouble } = await signedIn(browser, served);
  await page.goto(`${served.url}/api-log`);
  await page.getByText('No requests yet').waitFor();
  const status = page.locator('#requests tbody');
  await served.ask('/voice/priority?number=110', { token: served.a.token }); // moves no call
  await status.getByText('GET /api/v1/voice/priority').waitFor();
  await served.post(served.a.token, event({ id: 'refused', status: 'gone' }));
  await status.getByText('422 Refused').waitFor();
  await page.getByRole('button', { name: 'Live' }).click();
  await served.post(served.a.token, event({ id: 'later' }));
  await page.locator('#now').getByText("Alpha's customer").waitFor();
  assert.equal(await status.getByText('later').count(), 0);
  await page.getByRole('button', { name: 'Live' }).click();
  await status.getByText('later').waitFor();
  assert.deepEqual(trouble, []);
});

/** The calls of an office in some weeks until then. */
const giveWeeks = (served: Served, now: number) =>
  withStore(served, (store) =>
    givePast(store, { account: 1, integration: 1, now, days: 35, timeZone: 'UTC' }),
  );

/** An office of some weeks, and a window with a report of its last days. */
async function report(t: TestContext, query: string, options: BrowserContextOptions = {}) {
  const served = await serve(t);
  // Until noon, also if the test runs at night.
  await giveWeeks(served, new Date().setUTCHours(12, 0, 0, 0));
  const browser = await openBrowser(t);
  const window = await signedIn(browser, served, options);
  await window.page.goto(`${served.url}/reports?${query}`);
  return { ...served, ...window, browser };
}

test('a report is short and prints in light colours without controls', { skip }, async (t) => {
  const { page } = await report(t, `${lastDays(5)}&by=hour`, { colorScheme: 'dark' });
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok(height > 800 && height < 2500, `${height} px before something is unfolded`);
  await page.locator('#t-series summary').click();
  assert.ok((await page.locator('#t-series tbody tr:visible').count()) > 10, 'the figures of the chart');
  assert.ok((await page.locator('.heat thead th').count()) < 18, 'no night');
  await page.setViewportSize({ width: 718, height: 1047 }); // A4 without its margins
  await page.emulateMedia({ media: 'print' });
  await keepPicture(page, 'reports-print');
  const widest = await page
    .locator('table')
    .evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
  assert.ok(widest <= 718, `${widest} px: columns are cut off`);
  assert.equal(await page.locator('.top').isVisible(), false);
  assert.match(await page.locator('h1').innerText(), /^Reports, .*\d{4}, Alpha$/, 'which days, and of whom');
  const controls = page.locator('form, nav, #now, button, .button');
  assert.ok((await controls.count()) > 2);
  assert.deepEqual(
    await controls.filter({ visible: true }).evaluateAll((all) => all.map((one) => one.outerHTML)),
    [],
  );
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'light');
});

test('a bar of a report says its figures and leads to its calls, with a mouse and by touch', {
  skip,
}, async (t) => {
  const query = `${lastDays(8)}&by=day`;
  const served = await report(t, query);
  const { page, trouble, url } = served;
  const valueIn = (of: Page) => of.locator('.chart .value').first().innerText();
  await page.locator('.bars > a[href]').first().hover();
  const [, inBar] = /(\d+) calls?, \d+ answered/.exec(await valueIn(page)) ?? [];
  await page.locator('.bars > a[href]').first().click();
  await page.waitForURL('**/calls?*');
  assert.equal(await page.locator('main tbody tr:not(.day)').count(), Math.min(50, Number(inBar)));
  assert.deepEqual(trouble, []);

  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page: touched } = await signedIn(served.browser, served, phone);
  await touched.goto(`${url}/reports?${query}`);
  const tap = async () => {
    await touched
      .locator('.chart')
      .first()
      .evaluate((chart) => chart.scrollIntoView({ block: 'start' }));
    const box = await touched.locator('.bars > a[href]').first().locator('.hit').boundingBox();
    assert.ok(box);
    await touched.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  };
  await tap();
  assert.match(await valueIn(touched), /\d+ calls?, /);
  assert.equal(new URL(touched.url()).pathname, '/reports');
  await tap();
  await touched.waitForURL('**/calls?*');
});

test('on a phone, days by hours open at the busy hours, and a cell is seen to be a link', {
  skip,
}, async (t) => {
  const served = await report(t, lastDays(1), { viewport: sizes.phone });
  const night = new Date().setUTCHours(0, 30, 0, 0) - 86_400_000;
  await storeCalls(served, (report) =>
    report({ id: 'night', from: '+4930901820', status: 'ringing', at: night }),
  );
  const { page } = served;
  await page.goto(`${served.url}/reports?${lastDays(8)}&by=day`);
  const table = page.locator('.wide:has(.heat)');
  assert.equal(await table.locator('thead th').nth(1).textContent(), '0');
  const shown = await table.evaluate((box) => {
    const edge = box.querySelector('tbody th')?.getBoundingClientRect().right ?? 0;
    const heads = [...box.querySelectorAll('thead th')].slice(1);
    return heads.find((head) => head.getBoundingClientRect().left >= edge - 1)?.textContent;
  });
  assert.ok(Number(shown) >= 8, `opens at ${shown}`);
  const cell = table.locator('td a').first();
  assert.match(await cell.evaluate((link) => getComputedStyle(link).textDecorationLine), /underline/);
  assert.deepEqual(await layoutTrouble(page), []);
});

test('date fields show all of a date and its time, whatever the window', { skip }, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page } = await signedIn(browser, served);
  for (const path of [
    '/calls?from=2026-11-20T09:00&to=2026-11-20T11:00',
    '/api-log?until=2026-11-20T11:00',
  ]) {
    await page.goto(served.url + path);
    await page.evaluate(`for (const menu of document.querySelectorAll('main details')) menu.open = true`);
    assert.ok((await page.locator('main input[type="datetime-local"]:visible').count()) > 0, path);
    for (const size of ['narrow', 'phone', 'tablet', 'desk'] as const) {
      await page.setViewportSize(sizes[size]);
      for (const field of await page.locator('main input[type="datetime-local"]').all()) {
        const [given, needed] = await field.evaluate((input: HTMLInputElement) => {
          const { width } = input.getBoundingClientRect();
          input.style.width = 'auto';
          const needed = input.getBoundingClientRect().width;
          input.style.width = '';
          return [width, needed];
        });
        assert.ok((given ?? 0) >= (needed ?? Infinity), `${size} ${path}: ${given} of ${needed} px`);
      }
      assert.deepEqual(await layoutTrouble(page), [], `${size} ${path}`);
    }
  }
});

test('a live list keeps selection, focus and place, and says how many calls are new', { skip }, async (t) => {
  const served = await serve(t);
  await giveWeeks(served, Date.now());
  // Not of people in the column next to the list.
  await served.post(served.a.token, event({ id: 'rings' }));
  const browser = await openBrowser(t);
  const { page, trouble } = await signedIn(browser, served);
  await page.goto(`${served.url}/calls`);
  await page.locator('#now[aria-busy=false]').waitFor();
  const row = page.locator('main tbody tr').filter({ hasText: 'Ringing' }).first();
  await row.getByRole('link').first().focus();
  await row.evaluate((of) => {
    document.getSelection()?.selectAllChildren(of.querySelector('.when') as Element);
    Object.assign(of, { isTheSame: true });
    scrollTo(0, 200);
  });
  const seen = () =>
    page.evaluate(() => ({
      selected: String(document.getSelection()).length > 3,
      focused: document.activeElement?.closest('tr') !== null,
      // The rows that are read stay where they are.
      y: Math.round(document.querySelector('main tbody tr:nth-child(9)')?.getBoundingClientRect().top ?? 0),
      rows: document.querySelectorAll('main tbody tr').length,
    }));
  const before = await seen();
  await served.post(served.a.token, event({ id: 'new-1' }));
  await page.getByRole('button', { name: '1 new call', exact: true }).waitFor();
  await served.post(served.a.token, event({ id: 'new-2' }));
  await served.post(served.a.token, event({ id: 'rings', status: 'answered', caller_id: '1001' }));
  await page.getByRole('button', { name: '2 new calls' }).waitFor();
  const changed = page.locator('main tbody tr').filter({ hasText: 'now' }).first();
  await changed.getByText('1001').waitFor();
  assert.equal(await changed.evaluate((of) => 'isTheSame' in of), true, 'changed in place');
  assert.deepEqual(await seen(), before);
  assert.equal(before.selected && before.focused, true);
  await page.getByRole('button', { name: '2 new calls' }).click();
  await page.locator('main tbody tr[data-key="new-2"]').waitFor();
  assert.equal(await page.getByRole('button', { name: /new call/ }).count(), 0);
  assert.deepEqual(trouble, []);
});

test('a live list has what changed before its stream stood, after an answer that broke off, and over a restart', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, service, url } = served;
  const browser = await openBrowser(t);
  const { page } = await signedIn(browser, served);
  const row = (id: string, status: string) =>
    page.locator(`main tbody tr[data-key="${id}"]`).filter({ hasText: status });
  await page.route(
    '**/calls',
    async (route) => {
      const response = await route.fetch();
      await post(a.token, event({ id: 'early' }));
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.goto(`${url}/calls`);
  await row('early', 'Ringing').waitFor();

  await page.evaluate(() => {
    const { text } = Response.prototype;
    Response.prototype.text = () => {
      Object.assign(Response.prototype, { text });
      document.body.dataset.ended = '';
      return Promise.reject(new TypeError('network error'));
    };
  });
  await post(a.token, event({ id: 'unseen' }));
  await page.locator('body[data-ended]').waitFor();
  await post(a.token, event({ id: 'early', status: 'answered' }));
  await row('early', 'now').waitFor();

  await service.stop();
  await page.locator('.lost').waitFor();
  await startAgain(t, served, (elsewhere) =>
    elsewhere.post(a.token, event({ id: 'early', status: 'completed' })),
  );
  await row('early', 'Answered').waitFor();
});

test('a report begins with the hour that decides, and below each bar is its number, apart from the others', {
  skip,
}, async (t) => {
  const { page } = await report(t, `${lastDays(8)}&by=day`);
  await page
    .locator('.says', { hasText: /^(Busiest|Most missed): .* calls missed, \d (person|people) answered\.$/ })
    .waitFor();
  const numbers = await page.locator('.bars > a').evaluateAll((bars) =>
    bars.map((bar) => {
      const box = bar.querySelector('.number')?.getBoundingClientRect();
      const { left, right } = (bar.querySelector('.hit') as Element).getBoundingClientRect();
      return box !== undefined && box.width > 0 && box.left >= left && box.right <= right;
    }),
  );
  assert.deepEqual(numbers, Array(8).fill(true));
});
