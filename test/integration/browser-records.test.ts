import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { browserImpossible, keepPicture, openBrowser, signIn } from './browser.ts';
import { layoutTrouble } from './layout-trouble.ts';
import { event, serve, startAgain } from './service-harness.ts';
import { hostile, hostileCalls, storeCalls, storeWeeks } from './stored-calls.ts';

const skip = browserImpossible() ?? false;
/** A span that ends today, as the address of a report has it. */
const lastDays = (days: number) => {
  const [from, to] = [days - 1, 0].map((ago) =>
    new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
  );
  return `from=${from}&to=${to}`;
};
test('untrusted texts run nothing on a page, and break no layout', { skip }, async (t) => {
  const served = await serve(t);
  await hostileCalls(served, Date.now());
  const browser = await openBrowser(t);
  const { page, trouble } = await signIn(browser, served, { size: 'narrow' });
  const calls = hostile.map((id) => `/calls/details?${new URLSearchParams({ id: id.slice(0, 255) })}`);
  const searches = ['<script>', '"><img src=x onerror=alert(1)>'].map((term) =>
    ['/calls?q=', '/calls?number=', '/reports?of=answered:', '/api-log?in=request&term='].map(
      (path) => path + encodeURIComponent(term),
    ),
  );
  for (const path of ['/calls', '/reports', '/api-log', ...calls, ...searches.flat()]) {
    await page.goto(served.url + path);
    await page.locator('h1').waitFor();
    assert.deepEqual(await layoutTrouble(page), [], path);
  }
  await page.goto(`${served.url}/api-log`);
  for (const link of await page
    .locator('#requests tbody a')
    .evaluateAll((all) => all.map((a) => a.getAttribute('href')))) {
    await page.goto(served.url + link);
    assert.deepEqual(await layoutTrouble(page), [], `${link}`);
    assert.ok(gzipSync(await page.content()).length < 100_000);
  }
  assert.deepEqual(trouble, []);
});

test('by keyboard: search a number, page through its calls, open one with its requests', {
  skip,
}, async (t) => {
  const served = await serve(t);
  await storeWeeks(served, Date.now());
  const browser = await openBrowser(t);
  const { page, trouble } = await signIn(browser, served);
  const rows = page.locator('main tbody tr');
  await page.goto(`${served.url}/calls`);
  const newest = await rows.first().textContent();
  await page.getByRole('link', { name: 'Older' }).press('Enter');
  await page.waitForURL('**older=*');
  assert.notEqual(await rows.first().textContent(), newest);
  await page.getByRole('link', { name: 'Newer' }).press('Enter');
  await page.waitForURL('**newer=*');
  assert.equal(await rows.first().textContent(), newest);

  await page.getByLabel('Name, number or extension').focus();
  await page.keyboard.type('030 901820');
  await page.keyboard.press('Enter');
  await page.waitForURL('**q=*');
  for (const text of await rows.allTextContents()) assert.match(text, /\+49 30 901820/);
  await rows.nth(1).getByRole('link').first().press('Enter');
  await page.waitForURL('**/calls/details?*'); // all of it
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  assert.equal(
    (await page.getByRole('table', { name: 'Requests' }).getByText('200 Accepted').count()) >= 2,
    true,
  );
  await page.getByRole('table', { name: 'Requests' }).getByRole('link').first().press('Enter');
  await page.getByRole('heading', { name: 'POST /api/v1/voice/call' }).waitFor();
  assert.match((await page.getByLabel('As received').textContent()) ?? '', /"status": "ringing"/);
  assert.deepEqual(trouble, []);
});

test('the API log is live, and can be paused', { skip }, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page, trouble } = await signIn(browser, served);
  await page.goto(`${served.url}/api-log`);
  await page.getByText('No requests yet').waitFor();
  const status = page.locator('#requests tbody');
  await served.ask('/voice/priority?number=110', { token: served.a.token }); // moves no call
  await status.getByText('GET /api/v1/voice/priority').waitFor();
  await served.post(served.a.token, event({ id: 'refused', status: 'gone' }));
  await status.getByText('422 Refused').waitFor();
  await page.getByRole('button', { name: 'Live' }).click();
  await served.post(served.a.token, event({ id: 'later' }));
  await page.locator('#bar').getByText("Alpha's customer").waitFor();
  assert.equal(await status.getByText('later').count(), 0);
  await page.getByRole('button', { name: 'Live' }).click();
  await status.getByText('later').waitFor();
  assert.deepEqual(trouble, []);
});

test('a report prints in light colours without controls; its CSV has the same figures', {
  skip,
}, async (t) => {
  const served = await serve(t);
  await storeWeeks(served, Date.now());
  const browser = await openBrowser(t);
  const { page, context } = await signIn(browser, served, { theme: 'dark' });
  await page.goto(`${served.url}/reports?from=2026-01-01&to=2030-01-01&by=month`);
  const calls = (await page.locator('.tiles dd a').first().textContent())?.replace(',', '');
  for (const most of [`${lastDays(14)}&by=hour`, `${lastDays(397)}&by=day`]) {
    const answer = await context.request.get(`${served.url}/reports?${most}`);
    assert.ok(gzipSync(await answer.body()).length < 100_000, most);
  }
  await page.emulateMedia({ media: 'print' });
  await keepPicture(page, 'reports-print');
  assert.equal(await page.locator('.top').isVisible(), false);
  for (const part of await page.locator('form, nav, .bar, .save').all())
    assert.equal(await part.isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'light');
  for (const name of ['series', 'hours', 'segments', 'integrations']) {
    const csv = await context.request.get(
      `${served.url}/reports.csv?from=2026-01-01&to=2030-01-01&by=month&table=${name}`,
    );
    const lines = (await csv.text()).trim().split('\r\n').slice(1);
    const sum = lines
      .map((line) => Number(line.split(',')[line.startsWith('"') ? 2 : 1]))
      .reduce((a, b) => a + b, 0);
    assert.equal(String(sum), calls, name);
  }
});

test('a report is narrowed, sorted and leads to its calls, with a mouse, by keyboard and by touch', {
  skip,
}, async (t) => {
  const served = await serve(t);
  await storeWeeks(served, Date.now());
  const browser = await openBrowser(t);
  const { page, context, trouble } = await signIn(browser, served);
  const tile = (name: string) => page.locator('.tiles > div').filter({ hasText: name }).first();
  await page.goto(`${served.url}/reports?${lastDays(8)}&by=day`);
  const all = Number((await tile('Calls').locator('a').textContent()) ?? '');
  const table = page.getByRole('region', { name: 'Calls by day', exact: true });
  const counts = async () => (await table.locator('tbody td:nth-child(2)').allTextContents()).map(Number);
  await table.getByRole('link', { name: 'Calls', exact: true }).press('Enter');
  await page.waitForURL('**sort=*');
  assert.deepEqual(
    await counts(),
    (await counts()).toSorted((a, b) => b - a),
  );
  assert.equal(await table.locator('th[aria-sort=descending]').textContent(), 'Calls');

  await page.locator('.bars > a[href]').first().hover();
  const value = page.locator('.chart .value').first();
  assert.match((await value.textContent()) ?? '', /\d+ calls?, \d+ answered/);
  const inBar = /: (\d+) call/.exec((await value.textContent()) ?? '')?.[1];
  await page.locator('.bars > a[href]').first().click();
  await page.waitForURL('**/calls?*');
  const listed = await page.locator('main tbody tr').count();
  assert.equal(String(Math.min(50, Number(inBar))), String(listed));
  await page.goBack();

  await page.locator('#f-of').selectOption({ label: 'Segment: VIP' });
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.waitForURL('**of=segment*');
  assert.ok(Number(await tile('Calls').locator('a').textContent()) < all);
  assert.deepEqual(trouble, []);
  await context.close();

  const phone = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const touched = await phone.newPage();
  await touched.goto(await served.service.link());
  await touched.waitForURL((url) => url.pathname === '/');
  await touched.goto(`${served.url}/reports?${lastDays(8)}&by=day`);
  const bar = touched.locator('.bars > a[href]').first().locator('.hit');
  const tap = async () => {
    await touched
      .locator('.chart')
      .first()
      .evaluate((chart) => chart.scrollIntoView({ block: 'start' }));
    const box = await bar.boundingBox();
    assert.ok(box);
    await touched.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  };
  await tap();
  assert.match((await touched.locator('.chart .value').first().textContent()) ?? '', /\d+ calls?, /);
  assert.equal(new URL(touched.url()).pathname, '/reports');
  await tap();
  await touched.waitForURL('**/calls?*');
  await phone.close();
});

test('five days by hour take two screens, and empty nights none', { skip }, async (t) => {
  const served = await serve(t);
  // Two calls come at the end of the weeks, also if the test runs at night.
  await storeWeeks(served, new Date().setUTCHours(12, 0, 0, 0));
  const browser = await openBrowser(t);
  const { page } = await signIn(browser, served);
  await page.goto(`${served.url}/reports?${lastDays(5)}&by=hour`);
  const height = await page.locator('#t-series').evaluate((part) => part.getBoundingClientRect().height);
  assert.ok(height < 1000, `${height} px`);
  assert.ok((await page.locator('.heat thead th').count()) < 18, 'no night');
});

test('on a phone, days by hours open at the busy hours, and a cell is seen to be a link', {
  skip,
}, async (t) => {
  const served = await serve(t);
  await storeWeeks(served, Date.now());
  const night = new Date().setUTCHours(0, 30, 0, 0) - 86_400_000;
  await storeCalls(served, (report) =>
    report({ id: 'night', from: '+4930901820', status: 'ringing', at: night }),
  );
  const browser = await openBrowser(t);
  const { page } = await signIn(browser, served, { size: 'phone' });
  await page.goto(`${served.url}/reports?${lastDays(8)}&by=day`);
  const table = page.locator('.table.heat');
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
  for (const size of ['narrow', 'phone', 'tablet', 'desk'] as const) {
    const { page, context } = await signIn(browser, served, { size });
    for (const path of [
      '/calls?from=2026-11-20T09:00&to=2026-11-20T11:00',
      '/api-log?until=2026-11-20T11:00',
    ]) {
      await page.goto(served.url + path);
      for (const field of await page.locator('main input[type="datetime-local"]').all()) {
        const [given, needed] = await field.evaluate((input: HTMLInputElement) => {
          const { width } = input.getBoundingClientRect();
          input.style.width = 'auto';
          return [width, input.getBoundingClientRect().width];
        });
        assert.ok((given ?? 0) >= (needed ?? Infinity), `${size} ${path}: ${given} of ${needed} px`);
      }
      assert.deepEqual(await layoutTrouble(page), [], `${size} ${path}`);
    }
    await context.close();
  }
});

test('a live list keeps selection, focus and place, and says how many calls are new', { skip }, async (t) => {
  const served = await serve(t);
  await storeWeeks(served, Date.now());
  const browser = await openBrowser(t);
  const { page, trouble } = await signIn(browser, served);
  await page.goto(`${served.url}/calls`);
  await page.locator('.link.live').waitFor({ state: 'attached' });
  const row = page.locator('main tbody tr').filter({ hasText: 'ringing' }).first();
  await row.getByRole('link').first().focus();
  await row.evaluate((of) => {
    document.getSelection()?.selectAllChildren(of.querySelectorAll('td')[1] as Element);
    Object.assign(of, { isTheSame: true });
    scrollTo(0, 200);
  });
  const seen = () =>
    page.evaluate(() => ({
      selected: String(document.getSelection()).length > 5,
      focused: document.activeElement?.closest('tr') !== null,
      y: scrollY,
      rows: document.querySelectorAll('main tbody tr').length,
    }));
  const before = await seen();
  await served.post(served.a.token, event({ id: 'new-1' }));
  await page.getByRole('button', { name: '1 new call', exact: true }).waitFor();
  await served.post(served.a.token, event({ id: 'new-2' }));
  await served.post(
    served.a.token,
    event({ id: 'pbx-now.1', status: 'answered', from: '+4930901820', caller_id: '1001' }),
  );
  await page.getByRole('button', { name: '2 new calls' }).waitFor();
  const changed = page.locator('main tbody tr').filter({ hasText: 'on a call' }).first();
  await changed.getByText('1001').waitFor();
  assert.equal(await changed.evaluate((of) => 'isTheSame' in of), true, 'changed in place');
  assert.deepEqual(await seen(), before);
  assert.equal(before.selected && before.focused, true);
  await page.getByRole('button', { name: '2 new calls' }).click();
  await page.locator('main tbody tr[data-key="new-2"]').waitFor();
  assert.equal(await page.getByRole('button', { name: /new call/ }).count(), 0);
  assert.deepEqual(trouble, []);
});

test('a live list goes on after a connection that ended in the middle of an answer', { skip }, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page } = await signIn(browser, served);
  await page.goto(`${served.url}/calls`);
  await page.locator('.link.live').waitFor({ state: 'attached' });
  await page.evaluate(() => {
    const { text } = Response.prototype;
    Response.prototype.text = () => {
      Object.assign(Response.prototype, { text });
      document.body.dataset.ended = '';
      return Promise.reject(new TypeError('network error'));
    };
  });
  await served.post(served.a.token, event({ id: 'unseen' }));
  await page.locator('body[data-ended]').waitFor();
  await served.post(served.a.token, event({ id: 'next' }));
  await page.locator('main tbody tr[data-key="next"], .news button').first().waitFor();
});

test('a live list has what changed between the making of its page and the stream, or while that was away', {
  skip,
}, async (t) => {
  const { a, post, service, stateDir, url } = await serve(t);
  const browser = await openBrowser(t);
  const { page } = await signIn(browser, { service });
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
  await row('early', 'ringing').waitFor();

  await post(a.token, event({ id: 'early', status: 'answered' }));
  await row('early', 'on a call').waitFor();
  await service.stop();
  await page.locator('.link.lost').waitFor();
  await startAgain(t, { stateDir, url }, (elsewhere) =>
    elsewhere.post(a.token, event({ id: 'early', status: 'completed' })),
  );
  await row('early', 'answered').waitFor();
});
