import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  openBrowser,
  signedIn,
  sizes,
} from '../tools/browser/browser.ts';
import { layoutTrouble } from '../tools/browser/layout-trouble.ts';
import { event, type Served, serve } from '../tools/service/harness.ts';
import { browse, person, withStore } from '../tools/service/people.ts';
import { report } from '../tools/service/recorded-request.ts';
import { until } from '../tools/until.ts';

const skip = browserImpossible() ?? false;

const card = (page: Page, id: string) => page.locator(`[data-call="${id}"]`);
/** A person in the list to call back. */
const waiting = (page: Page, name: string) => page.locator('.later li', { hasText: name });
/** What is said of a call, without the seconds. */
const said = async (page: Page, id: string) =>
  (await card(page, id).innerText())
    .replace(/\s+/g, ' ')
    .replace(/\d+:\d\d/, '0:00')
    .trim();
/** What comes before its stream stands is there when it does, and no news. */
const live = (page: Page) => page.locator('#now[aria-busy=false]').waitFor();
/** The calls that are seen, from top to bottom. */
const seen = (page: Page) =>
  page
    .locator('#now [data-call]')
    .evaluateAll((all) =>
      all.flatMap((each) => (each.checkVisibility() ? each.getAttribute('data-call') : [])),
    );

/** In every page that is opened next. */
const scripts = {
  /**
   * Both clocks stand until a page's `passed` (ms) is set: what it does after some seconds would come, on a busy machine,
   * before the test has looked; and no test waits for them.
   */
  held: `globalThis.passed = 0;
    for (const clock of [Date, performance]) {
      const began = clock.now();
      clock.now = () => began + passed;
    }`,
  /** No worker: the stream has the page's clocks. */
  alone: `delete globalThis.SharedWorker;`,
  badges: `globalThis.badges = [];
    navigator.setAppBadge = (count) => Promise.resolve(badges.push(count));`,
} as const;

type WindowOptions = BrowserContextOptions & { readonly run?: readonly (keyof typeof scripts)[] };

/** A window of the administrator at a path of the service. */
async function open(t: TestContext, served: Served, path: string, options: WindowOptions = {}) {
  const { run = [], ...more } = options;
  const browser = await openBrowser(t);
  const window = await signedIn(browser, served, more);
  for (const name of run) await window.context.addInitScript(scripts[name]);
  await window.page.goto(served.url + path);
  await live(window.page);
  return { ...served, browser, ...window };
}

test('a call rings, is answered, and disappears; the highest priority is first; title, icon and screen readers say so', {
  skip,
}, async (t) => {
  const { page, context, a, post, trouble } = await open(t, await serve(t), '/calls/window', {
    run: ['held', 'badges'],
  });
  await page.getByText('No phone system has connected yet').waitFor();
  await page.evaluate(`new MutationObserver((changes) => {
    for (const { target } of changes) (globalThis.heard ??= []).push(target.textContent);
  }).observe(document.querySelector('[role=status].unseen'), { childList: true })`);
  await post(a.token, event({ id: 'stranger', from: '+493023125000' }));
  await card(page, 'stranger').waitFor();
  await post(a.token, event({ id: 'known' }));
  await card(page, 'known').waitFor();
  assert.equal(await said(page, 'known'), "Alpha's customer 0:00 Ringing VIP +49 30 901820");
  assert.equal(await said(page, 'stranger'), '+49 30 23125000 0:00 Ringing');
  assert.deepEqual(await seen(page), ['known', 'stranger']);
  assert.match(await page.title(), /^\(2\) /);
  await keepPicture(page, 'now-ringing');
  await page.evaluate('passed += 3000');
  await card(page, 'known')
    .getByText(/^(0:0[3-9]|0:[1-5]\d|[1-9]\d*:\d\d)$/)
    .waitFor();

  await post(a.token, event({ id: 'known', status: 'answered', caller_id: '1001' }));
  await card(page, 'known').getByText('with 1001').waitFor();
  assert.match(await page.title(), /^\(1\) /);
  await post(a.token, event({ id: 'known', status: 'completed' }));
  await card(page, 'known').getByText('ended').waitFor();
  await page.evaluate('passed += 4500');
  await card(page, 'known').waitFor({ state: 'detached' });
  await post(a.token, event({ id: 'stranger', from: '+493023125000', status: 'completed' }));
  await waiting(page, '+49 30 23125000').getByText('missed').waitFor();
  assert.deepEqual(await page.evaluate('badges.filter((one, at) => one !== 0 || at > 0)'), [1, 2, 1, 0, 1]);
  assert.deepEqual(await page.evaluate('heard'), [
    'Ringing: +49 30 23125000',
    "Ringing: Alpha's customer, VIP",
    "Answered: Alpha's customer",
    "Ended: Alpha's customer",
    'Missed call from +49 30 23125000',
  ]);
  // The next call of the same customer says who spoke with them.
  await post(a.token, event({ id: 'again' }));
  await card(page, 'again').getByText('last with 1001').waitFor();
  await page.reload();
  await card(page, 'again').getByText('last with 1001').waitFor();

  const { errors, data = '' } = await (await context.newCDPSession(page)).send('Page.getAppManifest');
  assert.deepEqual(
    [errors, JSON.parse(data).name],
    [[], 'PBX Bridge'],
    'the pages can be installed as an app',
  );
  assert.deepEqual(trouble, []);
});

test('the first card says what was said last and where it rings, two more are small, the others a line each', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  const { user, link } = await person(served, { name: 'Jana' });
  const { user: bilal } = await person(served, { name: 'Bilal Aydın' });
  const note = (text: string, by: string) =>
    withStore(served, (store) =>
      store.callers.act(1, {
        number: '+4930901820',
        at: Date.now(),
        user: by,
        kind: 'note',
        text,
      }),
    );
  await withStore(served, async (store) => {
    await store.directory.putExtension(1, { extension: '1001', name: '', user: user.id });
    await store.directory.putExtension(1, { extension: '1002', name: '', user: bilal.id });
  });
  await note('Heating is cold.\nThe fitter has a key.', 'Bilal Aydın');
  const { page, trouble } = await signedIn(await openBrowser(t), served, { link, viewport: sizes.wide });
  await until('the extension to be known', async () => {
    await page.goto(`${url}/customers`);
    return (await page.locator('#now').getAttribute('data-extensions'))?.includes('1001');
  });
  await live(page);
  for (const [id, status] of [
    ['talked', 'ringing'],
    ['talked', 'answered'],
    ['talked', 'completed'],
    ['missed', 'ringing'],
    ['missed', 'completed'],
    ['missed again', 'ringing'],
    ['missed again', 'completed'],
  ] as const)
    await post(a.token, event({ id, status, caller_id: status === 'answered' ? '1001' : null }));
  await post(a.token, event({ id: 'known' }));
  await card(page, 'known').getByText('2× missed today').waitFor();
  const time = /\d\d:\d\d/g;
  const text = async () => (await said(page, 'known')).replace(time, 'now');
  assert.equal(
    await text(),
    "Alpha's customer 0:00 Ringing VIP +49 30 901820 Heating is cold. The fitter has a key. BA Bilal Aydın, now last with you, now 2× missed today",
  );
  for (const n of [1, 2, 3, 4, 5]) await post(a.token, event({ id: `s${n}`, from: `+49302312500${n}` }));
  await card(page, 's5').waitFor();
  assert.deepEqual(await seen(page), ['known', 's1', 's2', 's3', 's4', 's5', 'talked']);
  const heights = await page
    .locator('#now .ringing')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
  const [large = 0, small = 0, , line = 0] = heights;
  assert.ok(large > 2 * small && small > line && line <= 40, heights.join());
  assert.deepEqual(await accessibilityTrouble(page), []);

  // What a colleague writes while it rings is there at once.
  const zoe = await browse(served, 'Zoe');
  const written = 'She is on the train.';
  await zoe.send('/call-back', { number: '+4930901820', kind: 'note', text: written, from: 'now' });
  await card(page, 'known').getByText(written).waitFor();

  // My own call is first, with its note and what was said last.
  await note('Call her mobile.', 'Jana');
  await post(a.token, event({ id: 'known', status: 'completed' }));
  await post(a.token, event({ id: 'mine' }));
  await card(page, 'mine').getByText('Call her mobile.').waitFor();
  await post(a.token, event({ id: 'mine', status: 'answered', caller_id: '1001' }));
  await card(page, 'mine').getByText('You are talking').waitFor({ state: 'attached' });
  assert.match(await said(page, 'mine'), /Call her mobile\. JA You, \d\d:\d\d/);
  const tops = await page
    .locator('#now [data-call]')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
  const mine = (await card(page, 'mine').boundingBox())?.y ?? Number.NaN;
  assert.equal(mine, Math.min(...tops));
  assert.deepEqual(trouble, []);
});

test('what rings stays where it is while a mouse moves over it', { skip }, async (t) => {
  const { page, a, post } = await open(t, await serve(t), '/calls/window', { run: ['held'] });
  await post(a.token, event({ id: 'stranger', from: '+493023125000' }));
  await card(page, 'stranger').hover();
  await post(a.token, event({ id: 'urgent' }));
  await card(page, 'urgent').waitFor();
  assert.deepEqual(await seen(page), ['stranger', 'urgent']);
  await page.evaluate('passed += 2000');
  await until('the order to be right', async () => (await seen(page))[0] === 'urgent');
});

test('a call that rings for 42 minutes is quiet, below the others and not counted, until somebody closes it', {
  skip,
}, async (t) => {
  const served = await serve(t);
  await withStore(served, (store) =>
    report(store, { id: 'lost', from: '+493023125000', at: Date.now() - 42 * 60_000 - 1000 }),
  );
  const { page, a, post, trouble } = await open(t, served, '/calls/window', { run: ['held'] });
  await card(page, 'lost').waitFor();
  assert.doesNotMatch(await page.title(), /\d/);
  await post(a.token, event({ id: 'rings' }));
  await card(page, 'rings').waitFor();
  assert.match(await page.title(), /^\(1\) /);
  assert.deepEqual(await seen(page), ['rings', 'lost']);
  // A slow machine may need some of the minutes to come here.
  assert.match(await said(page, 'lost'), /^\+49 30 23125000 Close as missed Ringing for 4\d min\?$/);
  await keepPicture(page, 'now-doubtful');
  await card(page, 'lost').getByRole('button').click();
  await card(page, 'lost').waitFor({ state: 'detached' });
  await waiting(page, '+49 30 23125000').getByText('missed').waitFor();
  assert.deepEqual(await seen(page), ['rings']);
  await page.evaluate('passed += 181_000');
  await card(page, 'rings').getByText('Ringing for 3 min?').waitFor();
  assert.match(await page.title(), /^1 to call back/);
  assert.deepEqual(trouble, []);
});

test('a missed person stays on every screen until a colleague takes it and is done; a refused press says so', {
  skip,
}, async (t) => {
  const served = await open(t, await serve(t), '/account', { viewport: sizes.wide });
  const { page, context, a, post, url } = served;
  const zoe = await browse(served, 'Zoe');
  const name = "Alpha's customer";
  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost', status }));
  await waiting(page, name).getByText('missed').waitFor();
  await page.goto(`${url}/customers`);
  const wall = await context.newPage();
  await wall.goto(`${url}/calls/window`);
  for (const each of [page, wall]) await waiting(each, name).getByText('missed').waitFor();
  assert.match(await page.title(), /^1 to call back · /);
  assert.equal(await page.locator('nav .count').innerText(), '1');
  const take = waiting(wall, name).getByRole('button', { name: "I’ll call: Alpha's customer" });
  await wall.route('**/call-back', (route) => route.fulfill({ status: 403 }));
  await take.click();
  await waiting(wall, name).getByText('That did not work. Try again.').waitFor();
  await wall.unroute('**/call-back');
  // A colleague is quicker by less than the time that the wall takes to show it.
  await wall.route('**/call-back', async (route) => {
    await zoe.send('/call-back', { number: '+4930901820', kind: 'taken', from: 'now' });
    await route.continue();
  });
  await take.click();
  await waiting(wall, name).getByText('Zoe is calling back already.').waitFor();
  await wall.unroute('**/call-back');
  await waiting(wall, name).getByRole('button', { name: "Take over: Alpha's customer" }).click();
  for (const each of [page, wall]) await waiting(each, name).getByText('you call back').waitFor();
  assert.equal(await waiting(wall, name).getByRole('alert').count(), 0);
  await waiting(wall, name).getByRole('button', { name: "Done: Alpha's customer" }).click();
  for (const each of [page, wall]) await waiting(each, name).waitFor({ state: 'detached' });
  assert.doesNotMatch(await page.title(), /to call back ·/);
  // Who gets through later is not to be called back either.
  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost again', status }));
  await waiting(page, name).waitFor();
  for (const status of ['ringing', 'answered', 'completed'])
    await post(a.token, event({ id: 'through', status }));
  await waiting(page, name).waitFor({ state: 'detached' });
});

test('on the list, Done leaves the row with Undo, which has the focus; Undo brings the row back', {
  skip,
}, async (t) => {
  const { page, a, post } = await open(t, await serve(t), '/call-back');
  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost', status }));
  const row = page.locator('#call-backs tr', { hasText: "Alpha's customer" });
  await row.getByRole('button', { name: 'I’ll call' }).click();
  const done = row.getByRole('button', { name: 'Done', exact: true });
  await done.and(page.locator(':focus')).press('Enter');
  const undo = row.getByRole('button', { name: 'Undo' });
  await undo.and(page.locator(':focus')).press('Enter');
  await done.and(page.locator(':focus')).waitFor();
});

test('I’ll call dials; who was not reached is waited for, and the user is told when to try again', {
  skip,
}, async (t) => {
  const name = "Alpha's customer";
  const { page, a, post, trouble } = await open(t, await serve(t), '/call-back', { run: ['held'] });
  await page.evaluate(`
    globalThis.heard = [];
    new MutationObserver((changes) => {
      for (const { target } of changes) heard.push(target.textContent);
    }).observe(document.querySelector('[role=status].unseen'), { childList: true });
    globalThis.dialled = [];
    addEventListener('click', (event) => {
      const { protocol, href } = event.target;
      if (protocol !== 'tel:') return;
      dialled.push(href);
      event.preventDefault();
    }, true);`);
  for (const id of ['lost', 'again'])
    for (const status of ['ringing', 'completed']) await post(a.token, event({ id, status }));
  const row = page.locator('#call-backs tr', { hasText: name });
  const done = row.getByRole('button', { name: 'Done', exact: true });
  await row.getByRole('button', { name: 'I’ll call' }).click();
  await done.and(page.locator(':focus')).waitFor();
  assert.deepEqual(await page.evaluate('dialled'), ['tel:+4930901820']);

  const menu = row.getByLabel(`Not reached: ${name}`);
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await row.getByRole('button', { name: 'In 15 minutes' }).and(page.locator(':focus')).press('Enter');
  await row.getByText(/next try/).waitFor();
  await done.and(page.locator(':focus')).waitFor();
  await waiting(page, name)
    .getByText(/you call back, next try/)
    .waitFor();
  await page.evaluate('heard.length = 0, passed += 900_500');
  await waiting(page, name).locator('.is-due', { hasText: 'next try' }).waitFor();
  assert.deepEqual(await page.evaluate('heard'), [`Call back now: ${name}`]);
  await row.locator('[data-waits]', { hasText: /^1[5-9]\smin$/ }).waitFor();
  assert.deepEqual(await page.evaluate('dialled.length'), 1);
  await menu.focus();
  await page.keyboard.press('Enter');
  const time = row.getByLabel('At what time').first();
  await time.fill('23:58');
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await time.press('Enter');
  assert.match((await sent).postData() ?? '', /kind=tried(\+|%20)time/, 'Enter sets the time that was typed');
  assert.deepEqual(trouble, []);
});

/** Where everything is that can be pressed on the page around the calls. */
const places = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('header a, main :is(a, button, input)')].map((element) => {
      const { left, top } = element.getBoundingClientRect();
      const text = element.firstChild?.textContent?.trim();
      return [text || element.getAttribute('name'), Math.round(left), Math.round(top)];
    }),
  );

test('calls that begin and end move nothing else on a page, even at its end', { skip }, async (t) => {
  const { page, a, post } = await open(t, await serve(t), '/account', { run: ['held'] });
  let n = 0;
  for (const size of ['desk', 'narrow'] as const)
    for (const end of [0, 100_000]) {
      await page.setViewportSize(sizes[size]);
      await page.reload();
      await live(page);
      const ids = [1, 2, 3, 4].map(() => `call ${++n}`);
      await page.evaluate((to) => scrollTo(0, to), end);
      let before = await places(page);
      for (const [at, id] of ids.entries()) await post(a.token, event({ id, from: `+493012345${at}0` }));
      for (const id of ids) await card(page, id).waitFor({ state: 'attached' });
      assert.deepEqual(await places(page), before, `${size}, ${end}: four calls ring`);
      // At the end that there is now, too.
      await page.evaluate((to) => scrollTo(0, to), end);
      before = await places(page);
      const [missed, answered] = [ids.slice(0, 2), ids.slice(2)];
      for (const id of answered) await post(a.token, event({ id, status: 'answered' }));
      for (const id of ids) await post(a.token, event({ id, status: 'completed' }));
      for (const id of missed) await card(page, id).waitFor({ state: 'detached' });
      await page.evaluate('passed += 4500');
      for (const id of answered) await card(page, id).waitFor({ state: 'detached' });
      assert.deepEqual(await places(page), before, `${size}, ${end}: they are over, two were missed`);
    }
});

test('what is pressed or has the focus is neither moved by a call nor behind the line', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t, await serve(t), '/account', {
    run: ['held'], // the longest press takes five seconds
    viewport: sizes.narrow,
  });
  const box = async (what: Locator) => (await what.boundingBox()) ?? assert.fail('it is nowhere');
  const name = page.locator('main select').last();
  await name.scrollIntoViewIfNeeded();
  await name.focus();
  for (const id of ['one', 'two', 'three']) await post(a.token, event({ id }));
  for (const id of ['one', 'two', 'three']) await card(page, id).waitFor();
  const [field, line] = [await box(name), await box(page.locator('#now'))];
  assert.ok(field.y + field.height <= line.y, 'a field that had the focus when calls began');

  const behind = () =>
    page.evaluate(() => {
      const [focused, line] = [document.activeElement, document.querySelector('#now')].map((element) =>
        element?.getBoundingClientRect(),
      );
      const at = document.activeElement?.closest('main') && document.activeElement.outerHTML.slice(0, 80);
      return { at, hidden: (focused?.bottom ?? 0) > (line?.top ?? 0) + 1 };
    });
  await page.reload();
  await card(page, 'three').waitFor();
  const focused: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    await page.keyboard.press('Tab');
    const { at, hidden } = await behind();
    if (at === null && focused.length > 0) break; // behind the page
    if (at === null) continue; // not on the page yet
    assert.equal(hidden, false, `after ${focused.at(-1)}: ${at}`);
    focused.push(at ?? '');
  }
  assert.ok(focused.length > 5, `${focused.length} places of the page had the focus`);

  const beside = await context.newPage();
  await beside.goto(`${url}/calls/window`);
  await page.setViewportSize(sizes.wide);
  await post(a.token, event({ id: 'lost', from: '+493023125000' }));
  await post(a.token, event({ id: 'lost', from: '+493023125000', status: 'completed' }));
  const take = waiting(page, '+49 30 23125000').getByRole('button');
  const { x, y, width, height } = await box(take);
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await post(a.token, event({ id: 'four' }));
  await card(beside, 'four').waitFor();
  // The calls are drawn by themselves twice a second: by then they would be.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
  assert.equal(await card(page, 'four').count(), 0, 'nothing moves under the pointer');
  await page.mouse.up();
  await card(page, 'four').waitFor();
  await waiting(page, '+49 30 23125000').getByText('you call back').waitFor();
});

test('a page that fits its window does not scroll, nor does the link to the calls', {
  skip,
}, async (t) => {
  const { page } = await open(t, await serve(t), '/segments');
  const scrolled = () =>
    page.evaluate(() => [document.documentElement.scrollHeight - innerHeight, scrollY, location.hash]);
  assert.deepEqual(await scrolled(), [0, 0, '']);
  await page.setViewportSize({ width: 320, height: 420 });
  await page.getByRole('link', { name: 'Skip to calls' }).press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'now');
  assert.deepEqual((await scrolled()).slice(1), [0, '']);
});

test('nine pages of one browser share one stream, and show no caller after signing out in one of them', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t, await serve(t), '/calls/window');
  const pages = [page];
  // A browser has six connections.
  for (const path of Array(8).fill('/segments')) {
    const next = await context.newPage();
    await next.goto(url + path);
    pages.push(next);
  }
  await post(a.token, event({ id: 'one' }));
  for (const each of pages) await card(each, 'one').waitFor();
  const last = pages.at(-1) ?? page;
  await last.locator('.me summary').click();
  await last.getByRole('button', { name: 'Sign out' }).click();
  // `waitForURL` takes a navigation that another one replaces for an error.
  for (const each of pages) {
    await until('the page to sign in', () => new URL(each.url()).pathname === '/sign-in');
    await each.waitForLoadState();
  }
});

test('durations are right although the PC’s clock is wrong or set', { skip }, async (t) => {
  const { page, a, post, url } = await open(t, await serve(t), '/calls/window');
  await post(a.token, event({ id: 'one' }));
  await page.clock.install({ time: new Date('2019-01-01T00:00:00Z') });
  await page.goto(`${url}/account`);
  const ringing = card(page, 'one').locator('time');
  await ringing.waitFor();
  assert.match(await ringing.innerText(), /^0:\d\d$/);
  // As after an hour of sleep: nothing is certain for a moment, then the stream says what is.
  await page.clock.setSystemTime(new Date('2019-01-01T01:00:00Z'));
  await ringing.waitFor();
  assert.match(await ringing.innerText(), /^0:\d\d$/);
});

test('a connection that hangs is said within ten seconds, and no call is shown that may be over', {
  skip,
}, async (t) => {
  const { page, a, post, url } = await open(t, await serve(t), '/calls/window', { run: ['held', 'alone'] });
  await post(a.token, event({ id: 'one' }));
  await card(page, 'one').waitFor();
  // The next stream gets no answer, as in a network that takes everything and gives nothing back.
  await page.route('**/events', () => {});
  await page.evaluate('passed += 8000');
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1500)));
  assert.equal(await page.locator('.lost').count(), 0, 'a heartbeat may be on its way');
  await page.evaluate('passed += 9500');
  await page
    .locator('.lost', { hasText: /No connection since \d\d:\d\d\. New calls are not shown\./ })
    .waitFor();
  assert.equal(await card(page, 'one').count(), 0);
  await page.unroute('**/events');
  await page.goto(`${url}/calls/window`);
  await card(page, 'one').waitFor();
});

test('ringtone and desktop alert work if switched on, until the call is answered; a browser that blocks sound says so', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t, await serve(t), '/calls/window', { run: ['held'] }); // it rings again every four seconds
  await context.grantPermissions(['notifications']);
  // What would pop up, and what would sound: the desktop of a test has neither.
  await context.addInitScript(`globalThis.shown = [];
    globalThis.Notification = class extends EventTarget {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      constructor(title, { body, tag }) { super(); this.tag = tag; shown.push(['shown', title, body].join(': ')); }
      close() { shown.push('closed: ' + this.tag); }
    };
    globalThis.AudioContext = class extends AudioContext {
      createOscillator() { shown.push('tone'); return super.createOscillator(); }
    };`);
  await page.goto(`${url}/customers`);
  await live(page);
  const shown = () => page.evaluate('shown.splice(0)');
  await post(a.token, event({ id: 'silent' }));
  await card(page, 'silent').waitFor();
  assert.deepEqual(await shown(), [], 'it was not asked for');

  const choices = page.locator('#now .menu > summary');
  await choices.click();
  await page.getByRole('button', { name: 'Desktop alerts' }).click();
  await page.getByRole('button', { name: 'Sound for missed calls' }).click();
  await page.getByRole('button', { name: 'Ringtone: off' }).click();
  const asItWill = ['shown: Desktop alerts: ', 'tone', 'tone'];
  assert.deepEqual(await shown(), asItWill, 'as it will look and sound');
  await page.getByLabel('Volume').fill('90');
  assert.deepEqual(await shown(), ['tone', 'tone'], 'as loud as it will');
  await page.reload();
  await live(page);
  await choices.click();
  for (const name of ['Desktop alerts', 'Ringtone: on', 'Sound for missed calls'])
    assert.equal(await page.getByRole('button', { name }).getAttribute('aria-pressed'), 'true', 'it is kept');
  assert.equal(await page.getByLabel('Volume').inputValue(), '90');
  await shown();
  await post(a.token, event({ id: 'loud' }));
  await card(page, 'loud').waitFor();
  assert.deepEqual(await shown(), ['tone', 'tone', "shown: Alpha's customer: +49 30 901820 · VIP"]);
  await page.evaluate('passed += 4500');
  // It rings on.
  await page.waitForFunction(() => (globalThis as unknown as { shown: string[] }).shown.includes('tone'));
  await shown();
  await post(a.token, event({ id: 'loud', status: 'answered' }));
  await card(page, 'loud').waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.querySelector('[data-call=loud]')?.matches(':not(.ringing)'));
  assert.deepEqual(await shown(), ['closed: loud']);
  await post(a.token, event({ id: 'silent', status: 'completed' }));
  await card(page, 'silent').waitFor({ state: 'detached' });
  assert.deepEqual(await shown(), ['tone', 'tone'], 'missed');

  // As in a new browser session: no press has allowed it yet.
  await context.addInitScript(`globalThis.AudioContext = class extends AudioContext {
    allowed = false;
    get state() { return this.allowed ? 'running' : 'suspended'; }
    resume() { this.allowed = navigator.userActivation.hasBeenActive; return super.resume(); }
  };`);
  await page.close();
  const next = await context.newPage();
  await next.goto(`${url}/customers`);
  await next
    .getByRole('complementary')
    .getByLabel('Ringtone blocked by the browser: press to allow')
    .first()
    .click();
  await next.getByRole('button', { name: 'Ringtone: on' }).waitFor();
});

test('a line on a tablet and a phone, a column in a wide window; the first ringing call and my own before all else', {
  skip,
}, async (t) => {
  const { a, post, url, page } = await open(t, await serve(t), '/calls/window');
  for (let n = 0; n < 12; n += 1) await post(a.token, event({ id: `call ${n}`, from: `+4930123450${n}` }));
  for (const id of ['known', 'talks']) await post(a.token, event({ id }));
  await post(a.token, event({ id: 'talks', status: 'answered', caller_id: '1002' }));
  for (const size of ['tablet', 'narrow'] as const) {
    await page.setViewportSize(sizes[size]);
    await page.goto(`${url}/customers`);
    await card(page, 'known').waitFor();
    const shown = await seen(page);
    assert.deepEqual(
      [shown[0], shown.length],
      ['known', 13],
      'a caller who talks to somebody else is not in the line',
    );
    const { height, y } = (await page.locator('#now').boundingBox()) ?? assert.fail('no line');
    assert.ok(height <= sizes[size].height * 0.7 && y > 0, `${height} px high`);
    assert.deepEqual(await layoutTrouble(page), []);
  }
  await page.setViewportSize(sizes.wall);
  await card(page, 'talks').getByText('with 1002').waitFor();
  const { width = 0, x = 0 } = (await page.locator('#now').boundingBox()) ?? {};
  assert.ok(width > 300 && width < 2560 / 4 && x > 2560 / 2, `${width} px wide at ${x}`);
  assert.deepEqual(await layoutTrouble(page), []);
});

test('each phone system says how it is heard, and the screen shows the calls that its user chose', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  // The state of phone systems is cached for a while.
  await post(a.token, event({ id: 'one' }));
  await withStore(served, (store) =>
    store.directory.putExtension(1, { extension: '1001', name: 'Reception', user: null }),
  );
  const { page } = await open(t, served, '/calls', { viewport: sizes.wide });
  await until('the extension to be known', async () => {
    await page.reload();
    return (await page.content()).includes('Reception');
  });
  await page.getByText(/^PBX 1: last event/).waitFor({ state: 'attached' });
  await page.getByText('PBX 2: never connected').waitFor({ state: 'attached' });
  await post(a.token, event({ id: 'one', status: 'answered', caller_id: '1001' }));
  await card(page, 'one').getByText('with Reception').waitFor();
  await page.goto(`${url}/account/calls`);
  await page.getByLabel('VIP').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await post(a.token, event({ id: 'stranger', from: '+493023125000' }));
  await post(a.token, event({ id: 'known' }));
  await card(page, 'known').waitFor();
  assert.equal(await card(page, 'stranger').count(), 0);
  await page.getByRole('link', { name: 'Some calls only' }).waitFor();
  await post(a.token, event({ id: 'stranger', from: '+493023125000', status: 'completed' }));
  // All missed people stay to be called back.
  await waiting(page, '+49 30 23125000').waitFor();
});

test('the caller whom I answered stays with me, with a note, until I have saved it; nobody else sees it so', {
  skip,
}, async (t) => {
  const served = await open(t, await serve(t), '/segments', { viewport: sizes.tablet });
  const { a, post, page: other, trouble, browser, url } = served;
  const { user, link } = await person(served, { name: 'Jana' });
  await withStore(served, (store) =>
    store.directory.putExtension(1, { extension: '1001', name: '', user: user.id }),
  );
  const { page: mine } = await signedIn(browser, served, { link, viewport: sizes.tablet });
  await mine.addInitScript(scripts.held);
  const note = mine.getByLabel('Note', { exact: true });
  await until('the extension to be known', async () => {
    await mine.goto(`${url}/customers`);
    return (await mine.locator('#now').getAttribute('data-extensions'))?.includes('1001');
  });
  for (const page of [mine, other]) await live(page);

  for (const id of ['known', 'colleague']) await post(a.token, event({ id }));
  for (const page of [mine, other]) await card(page, 'colleague').waitFor();
  await post(a.token, event({ id: 'colleague', status: 'answered', caller_id: '1002' }));
  await post(a.token, event({ id: 'known', status: 'answered', caller_id: '1001' }));
  await note.waitFor();
  await card(other, 'known').waitFor({ state: 'hidden' });
  assert.deepEqual([await seen(mine), await seen(other)], [['known'], []]);

  await note.fill('Boiler leaks');
  await post(a.token, event({ id: 'next', from: '+493023125000' }));
  for (const page of [mine, other]) await card(page, 'next').waitFor();
  assert.deepEqual([await seen(mine), await seen(other)], [['next', 'known'], ['next']]);
  // What is typed is kept while pages change, and after the end of the call.
  await card(mine, 'known').getByRole('link').click();
  await mine.waitForURL('**/person?*');
  assert.equal(await note.inputValue(), 'Boiler leaks');
  await post(a.token, event({ id: 'known', status: 'completed' }));
  await card(mine, 'known').getByText('ended').waitFor({ state: 'attached' });
  await mine.evaluate('passed += 120_000');
  await mine.route('**/call-back', (route) => route.abort());
  await card(mine, 'known').getByRole('button', { name: 'Save' }).click();
  await card(mine, 'known').getByText('That did not work. Try again.').waitFor();
  assert.equal(await note.inputValue(), 'Boiler leaks');
  await mine.unroute('**/call-back');
  await card(mine, 'known').getByRole('button', { name: 'Save' }).click();
  await card(mine, 'known').waitFor({ state: 'detached' });
  await mine.reload();
  await mine.locator('main').getByText('Boiler leaks').waitFor();
  assert.deepEqual(
    trouble.filter((each) => !/ERR_CONNECTION|ERR_INCOMPLETE/.test(each)),
    [],
  );
});

for (const [size, what] of [
  ['wide', 'a column'],
  ['tablet', 'a line'],
  ['narrow', 'a line on a phone'],
] as const)
  test(`the note of my call stays where I type while others begin to ring: ${what}`, { skip }, async (t) => {
    const served = await serve(t);
    const { a, post, url } = served;
    const { user, link } = await person(served, { name: 'Jana' });
    await withStore(served, (store) =>
      store.directory.putExtension(1, { extension: '1001', name: '', user: user.id }),
    );
    const { page } = await signedIn(await openBrowser(t), served, { link, viewport: sizes[size] });
    await until('the extension to be known', async () => {
      await page.goto(`${url}/segments`);
      return (await page.locator('#now').getAttribute('data-extensions'))?.includes('1001');
    });
    await live(page);
    for (const status of ['ringing', 'answered'])
      await post(a.token, event({ id: 'mine', status, caller_id: '1001' }));
    const note = page.getByLabel('Note', { exact: true });
    await note.fill('Boiler');
    const before = (await note.boundingBox()) ?? assert.fail('not seen');
    for (let n = 0; n < 12; n += 1) await post(a.token, event({ id: `ring ${n}`, from: `+4930123450${n}` }));
    await card(page, 'ring 11').waitFor({ state: 'attached' });
    const after = (await note.boundingBox()) ?? assert.fail('not seen');
    assert.ok(Math.abs(after.y - before.y) < 2, `at ${before.y}, then at ${after.y}`);
    const { height } = sizes[size];
    assert.ok(after.y > 0 && after.y + after.height <= height, `seen: ${after.y} of ${height}`);
  });

test('a browser that has notifications and refuses them, as on Android: everything else goes on', {
  skip,
}, async (t) => {
  const { page, context, a, post, url, trouble } = await open(t, await serve(t), '/calls');
  await context.grantPermissions(['notifications']);
  await context.addInitScript(`
    globalThis.Notification = class {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      constructor() { throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.'); }
    };
    if (!localStorage.getItem('calls-notify')) localStorage.setItem('calls-notify', 'on');`);
  await page.goto(`${url}/calls`);
  await live(page);
  for (const id of ['one', 'two']) await post(a.token, event({ id, from: `+49302312500${id.length}` }));
  for (const id of ['one', 'two']) await card(page, id).waitFor();
  await page.locator('tbody tr[data-key=two]').waitFor();
  await page.getByRole('status').filter({ hasText: 'Ringing' }).first().waitFor({ state: 'attached' });
  await page.locator('#now .menu > summary').click();
  assert.equal(await page.getByRole('button', { name: 'Desktop alerts' }).count(), 0, 'no longer offered');
  assert.deepEqual(trouble, []);
});

test('my call says who spoke with the caller before me, on every page; at its end that it has ended, below the next', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  const { user, link } = await person(served, { name: 'Jana' });
  await withStore(served, (store) =>
    store.directory.putExtension(1, { extension: '1001', name: '', user: user.id }),
  );
  const { page } = await signedIn(await openBrowser(t), served, { link, viewport: sizes.wide });
  await until('the extension to be known', async () => {
    await page.goto(`${url}/customers`);
    return (await page.locator('#now').getAttribute('data-extensions'))?.includes('1001');
  });
  await live(page);
  for (const status of ['ringing', 'answered', 'completed'])
    await post(a.token, event({ id: 'before', status, caller_id: '1002' }));
  await post(a.token, event({ id: 'first' }));
  const before = card(page, 'first').getByText('last with 1002');
  await before.waitFor();
  await post(a.token, event({ id: 'first', status: 'answered', caller_id: '1001' }));
  await card(page, 'first').getByText('You are talking').waitFor({ state: 'attached' });
  await card(page, 'first').getByRole('link').click();
  await page.waitForURL('**/person?*');
  await before.waitFor();
  assert.match(await page.locator('#facts').innerText(), /Last with\s+1002/, 'not with me, just now');

  await post(a.token, event({ id: 'first', status: 'completed', caller_id: '1001' }));
  await card(page, 'first').getByText('ended', { exact: true }).waitFor();
  for (const status of ['ringing', 'answered'])
    await post(a.token, event({ id: 'second', from: '+493023125000', status, caller_id: '1001' }));
  await card(page, 'second').getByText('You are talking').waitFor({ state: 'attached' });
  assert.deepEqual(await seen(page), ['second', 'first']);
});

test('a list shows a call that moves by fetching what moved: under 2 kB with 300 people to call back', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post } = served;
  for (let n = 100; n < 400; n += 1)
    for (const status of ['ringing', 'completed'])
      await post(a.token, event({ id: `lost ${n}`, from: `+49301234${n}`, status }));
  const { page } = await open(t, served, '/calls', { viewport: sizes.wide });
  const sizesOf: number[] = [];
  page.on('response', async (response) => {
    if (response.request().headers().moved !== undefined)
      sizesOf.push(Number((await response.allHeaders())['content-length']));
  });
  const row = page.locator('tr[data-key="new"]');
  await post(a.token, event({ id: 'new' }));
  await row.getByText('Ringing').waitFor();
  assert.equal(await page.locator('tbody tr').first().getAttribute('data-key'), 'new');
  assert.ok((await page.locator('tbody tr:not(.day)').count()) >= 50, 'the others stay');
  await post(a.token, event({ id: 'new', status: 'answered', caller_id: '1001' }));
  await row.getByText('1001').waitFor();
  await post(a.token, event({ id: 'new', status: 'completed' }));
  await row.locator('[data-since]').waitFor({ state: 'detached' });
  assert.ok(sizesOf.length >= 3 && sizesOf.every((bytes) => bytes > 0 && bytes < 2_000), `${sizesOf} bytes`);
});
