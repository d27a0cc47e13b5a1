import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { browserImpossible, keepPicture, openBrowser, signedIn, sizes } from './browser.ts';
import { layoutTrouble } from './layout-trouble.ts';
import { person, withStore } from './people.ts';
import { event, type Served, serve } from './service-harness.ts';

const skip = browserImpossible() ?? false;

const card = (page: Page, id: string) => page.locator(`[data-call="${id}"]`);
/** What the bar says of a call, without the seconds. */
const said = async (page: Page, id: string) =>
  (await card(page, id).innerText())
    .replace(/\s+/g, ' ')
    .replace(/\d+:\d\d/, '0:00')
    .trim();
/** What comes before its stream stands is there when it does, and no news. */
const live = (page: Page) => page.locator('.link.live').waitFor();
const toggle = (page: Page) => page.locator('#bar .toggle');

/** In every page that is opened next. */
const scripts = {
  /** The bar is open. */
  open: `localStorage.setItem('calls-open', 'on');`,
  /**
   * Both clocks stand until a page's `passed` (ms) is set: what it does after some seconds would come, on a busy machine,
   * before the test has looked; and no test waits for them.
   */
  held: `globalThis.passed = 0;
    for (const clock of [Date, performance]) {
      const began = clock.now();
      clock.now = () => began + passed;
    }`,
  badges: `globalThis.badges = [];
    navigator.setAppBadge = (count) => Promise.resolve(badges.push(count));`,
} as const;

type WindowOptions = BrowserContextOptions & { readonly run?: readonly (keyof typeof scripts)[] };

/** A window of the administrator at a path of the service. */
async function open(t: TestContext, served: Served, path: string, options: WindowOptions = {}) {
  const { run = ['open'], ...more } = options;
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
  const { page, context, a, post, trouble } = await open(t, await serve(t), '/bar', {
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
  assert.equal(await said(page, 'known'), "Alpha's customer +49 30 901820 VIP 10 ringing 0:00");
  assert.equal(await said(page, 'stranger'), '+49 30 23125000 ringing 0:00');
  assert.deepEqual(
    await page
      .locator('.calls [data-call]')
      .evaluateAll((cards) => cards.map((each) => each.getAttribute('data-call'))),
    ['known', 'stranger'],
  );
  assert.match(await page.title(), /^\(2\) /);
  await keepPicture(page, 'bar-ringing');
  await page.evaluate('passed += 3000');
  await card(page, 'known')
    .getByText(/^(0:0[3-9]|0:[1-5]\d|[1-9]\d*:\d\d)$/)
    .waitFor();

  await post(a.token, event({ id: 'known', status: 'answered', caller_id: '1001' }));
  await card(page, 'known').getByText('answered by').waitFor();
  assert.equal(await said(page, 'known'), "Alpha's customer +49 30 901820 VIP 10 answered by 1001, 0:00");
  assert.match(await page.title(), /^\(1\) /);
  await post(a.token, event({ id: 'known', status: 'completed' }));
  await card(page, 'known').getByText('ended').waitFor();
  await page.evaluate('passed += 4500');
  await card(page, 'known').waitFor({ state: 'detached' });
  await post(a.token, event({ id: 'stranger', from: '+493023125000', status: 'completed' }));
  await card(page, 'stranger').getByText('missed').waitFor();
  assert.deepEqual(await page.evaluate('badges'), [1, 2, 1], 'calls that ring, and missed ones');
  assert.deepEqual(await page.evaluate('heard'), [
    'Ringing: +49 30 23125000',
    "Ringing: Alpha's customer, VIP",
    "Answered: Alpha's customer",
    "Ended: Alpha's customer",
    'Missed call from +49 30 23125000',
  ]);
  await page.reload();
  await page.getByText('No active calls').waitFor();

  const { errors, data = '' } = await (await context.newCDPSession(page)).send('Page.getAppManifest');
  assert.deepEqual(
    [errors, JSON.parse(data).name],
    [[], 'PBX Bridge'],
    'the pages can be installed as an app',
  );
  assert.deepEqual(trouble, []);
});

test('a missed call stays on every page and screen until a colleague takes it and is done', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t, await serve(t), '/account');
  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost', status }));
  await card(page, 'lost').getByText('missed').waitFor();
  await page.goto(`${url}/customers`);
  const wall = await context.newPage();
  await wall.goto(`${url}/bar`);
  for (const each of [page, wall]) await card(each, 'lost').getByText('missed').waitFor();
  assert.equal(await card(page, 'lost').locator('a[href="tel:+4930901820"]').count(), 1);
  await wall.setViewportSize({ width: 1030, height: 700 });
  const cut = await card(wall, 'lost')
    .locator('.caller, .caller [title]')
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    );
  assert.deepEqual(cut, [], 'there is room for the name and the number');
  assert.match(await page.title(), /^1 to call back · /);
  assert.equal(await page.locator('nav .count').innerText(), '1');
  await card(wall, 'lost').getByRole('button', { name: "I’ll call Alpha's customer back" }).click();
  for (const each of [page, wall]) await card(each, 'lost').getByText('calls back').waitFor();
  await page.goto(`${url}/call-back`);
  // What comes before its stream stands is no news to its list.
  await live(page);
  await card(wall, 'lost').getByRole('button', { name: "Done: Alpha's customer" }).click();
  for (const each of [page, wall]) await card(each, 'lost').waitFor({ state: 'detached' });
  await page.getByText('Nobody to call back').waitFor();
  assert.doesNotMatch(await page.title(), /to call back ·/);
  await page.getByRole('button', { name: 'Undo' }).click();
  for (const each of [page, wall]) await card(each, 'lost').getByText('missed').waitFor();
});

/** Where everything is that can be pressed on the page around the bar. */
const places = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('header a, main :is(a, button, input)')].map((element) => {
      const { left, top } = element.getBoundingClientRect();
      const text = element.firstChild?.textContent?.trim();
      return [text || element.getAttribute('name'), Math.round(left), Math.round(top)];
    }),
  );

/**
 * Presses a button of the bar as a hand does: at its place, after scrolling the bar alone. (Playwright's click scrolls the
 * page too, if the bar is redrawn at that moment.)
 */
async function pressInBar(page: Page, button: Locator): Promise<void> {
  await button.evaluate((element) => {
    const [bar, box] = [element.closest('.bar'), element.getBoundingClientRect()];
    if (bar) bar.scrollTop += box.top - bar.getBoundingClientRect().top - bar.clientHeight / 2;
  });
  const box = await button.boundingBox();
  if (box === null) throw new Error('nothing to press');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

test('calls that begin and end move nothing else on a page, even at its end', { skip }, async (t) => {
  const { page, a, post } = await open(t, await serve(t), '/account', { run: ['open', 'held'] });
  let n = 0;
  for (const size of ['desk', 'narrow'] as const)
    for (const end of [0, 100_000]) {
      await page.setViewportSize(sizes[size]);
      await page.reload();
      await live(page);
      await page.evaluate((to) => scrollTo(0, to), end);
      let before = await places(page);
      const ids = [1, 2, 3, 4].map(() => `call ${++n}`);
      for (const [at, id] of ids.entries()) await post(a.token, event({ id, from: `+493012345${at}0` }));
      for (const id of ids) await card(page, id).waitFor();
      assert.deepEqual(await places(page), before, `${size}, ${end}: four calls ring`);
      // At the end that there is now, too.
      await page.evaluate((to) => scrollTo(0, to), end);
      before = await places(page);
      const [missed, answered] = [ids.slice(0, 2), ids.slice(2)];
      for (const id of answered) await post(a.token, event({ id, status: 'answered' }));
      for (const id of ids) await post(a.token, event({ id, status: 'completed' }));
      for (const id of missed) await card(page, id).getByText('missed').waitFor();
      await page.evaluate('passed += 4500');
      for (const id of answered) await card(page, id).waitFor({ state: 'detached' });
      assert.deepEqual(await places(page), before, `${size}, ${end}: they are over, two were missed`);
      for (const id of missed) {
        await pressInBar(page, card(page, id).getByRole('button', { name: /^Done/ }));
        await card(page, id).waitFor({ state: 'detached' });
      }
      assert.deepEqual(await places(page), before, `${size}, ${end}: done`);
    }
});

test('what is pressed or has the focus is neither moved by a call nor behind the bar', {
  skip,
}, async (t) => {
  const run = ['open', 'held'] as const; // the longest press takes five seconds
  const { page, context, a, post, url } = await open(t, await serve(t), '/account', {
    run,
    viewport: sizes.narrow,
  });
  const box = async (what: Locator) => (await what.boundingBox()) ?? assert.fail('it is nowhere');
  const zone = page.getByLabel('Time zone');
  await zone.focus();
  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost', status }));
  for (const id of ['two', 'three']) await post(a.token, event({ id }));
  for (const id of ['lost', 'two', 'three']) await card(page, id).waitFor();
  const [field, bar] = [await box(zone), await box(page.locator('.bar'))];
  assert.ok(field.y + field.height <= bar.y, 'a field that had the focus when calls began');

  const behind = () =>
    page.evaluate(() => {
      const [focused, bar] = [document.activeElement, document.querySelector('.bar')].map((element) =>
        element?.getBoundingClientRect(),
      );
      const name = document.activeElement?.closest('main') && document.activeElement.textContent;
      return { name, hidden: (focused?.bottom ?? 0) > (bar?.top ?? 0) };
    });
  await page.reload();
  await card(page, 'three').waitFor();
  const seen: unknown[] = [];
  for (let n = 0; n < 25 && seen.at(-1) !== 'Save'; n += 1) {
    await page.keyboard.press('Tab');
    const { name, hidden } = await behind();
    if (name === null) continue; // not on the page yet
    assert.equal(hidden, false, `after ${seen.at(-1)}`);
    seen.push(name);
  }
  assert.equal(seen.at(-1), 'Save');

  const beside = await context.newPage();
  await beside.goto(`${url}/bar`);
  const press = async (button: Locator, id: string) => {
    const { x, y, width, height } = await box(button);
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await post(a.token, event({ id }));
    await card(beside, id).waitFor();
    // The bar draws by itself twice a second: by then it would have.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
    await page.mouse.up();
    await card(page, id).waitFor();
  };
  const save = page.getByRole('form', { name: 'Account settings' }).getByRole('button', { name: 'Save' });
  // Just above the bar.
  await save.evaluate((element) => {
    const top = document.querySelector('.bar')?.getBoundingClientRect().top ?? 0;
    scrollBy(0, element.getBoundingClientRect().bottom - top + 2);
  });
  await press(save, 'four');
  await page.getByText('Saved.').waitFor();
  await page.goto(`${url}/bar`);
  await press(card(page, 'lost').getByRole('button', { name: /^Done/ }), 'five');
  await card(page, 'lost').waitFor({ state: 'detached' });
});

test('a page that fits its window does not scroll, nor does the link to the calls', {
  skip,
}, async (t) => {
  const { page } = await open(t, await serve(t), '/customers/segments');
  const scrolled = () =>
    page.evaluate(() => [document.documentElement.scrollHeight - innerHeight, scrollY, location.hash]);
  assert.deepEqual(await scrolled(), [0, 0, '']);
  await page.setViewportSize({ width: 320, height: 300 });
  await page.getByRole('link', { name: 'Skip to calls' }).press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'bar');
  assert.deepEqual((await scrolled()).slice(1), [0, '']);
});

test('nine pages of one browser share one stream, and show no caller after signing out in one of them', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t, await serve(t), '/account');
  const pages = [page];
  // A browser has six connections.
  for (const path of Array(8).fill('/customers/segments')) {
    const next = await context.newPage();
    await next.goto(url + path);
    pages.push(next);
  }
  await post(a.token, event({ id: 'one' }));
  for (const each of pages) await card(each, 'one').waitFor();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  for (const each of pages.slice(1)) await each.waitForURL('**/sign-in?to=*');
});

test('durations are right although the PC’s clock is wrong or set', { skip }, async (t) => {
  const { page, a, post, url } = await open(t, await serve(t), '/bar');
  await post(a.token, event({ id: 'one' }));
  await page.clock.install({ time: new Date('2019-01-01T00:00:00Z') });
  await page.goto(`${url}/account`);
  await card(page, 'one').waitFor();
  assert.match(await card(page, 'one').locator('.what').innerText(), /^ringing 0:\d\d$/);
  // As after an hour of sleep: nothing is certain for a moment, then the stream says what is.
  await page.clock.setSystemTime(new Date('2019-01-01T01:00:00Z'));
  await card(page, 'one').waitFor();
  assert.match(await card(page, 'one').locator('.what').innerText(), /^ringing 0:\d\d$/);
});

test('ringtone and desktop alert work if switched on, until the call is answered; a browser that blocks sound says so', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t, await serve(t), '/bar', { run: ['open', 'held'] }); // it rings again every four seconds
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
  assert.deepEqual(await shown(), [], 'nobody asked for it');

  const choices = page.getByText('Phone systems and sound');
  await choices.click();
  await page.getByRole('button', { name: 'Desktop alerts' }).click();
  await page.getByRole('button', { name: 'Sound for missed calls' }).click();
  await page.getByRole('button', { name: 'Ringtone: off' }).click();
  assert.deepEqual(await shown(), ['tone', 'tone'], 'as it will sound');
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
  await card(page, 'loud').getByText('answered').waitFor();
  assert.deepEqual(await shown(), ['closed: loud']);
  await post(a.token, event({ id: 'silent', status: 'completed' }));
  await card(page, 'silent').getByText('missed').waitFor();
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
  await next.getByRole('button', { name: 'Ringtone blocked by the browser: press to allow' }).click();
  await next.getByRole('button', { name: 'Ringtone: on' }).waitFor();
});

test('one line by default, also when many calls ring; it opens and stays open; a column in a wide window', {
  skip,
}, async (t) => {
  const served = await open(t, await serve(t), '/bar', { run: [] });
  const { a, post, url, page } = served;
  const name = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverkäuferinnung '.repeat(3);
  await withStore(served, (store) =>
    store.customers.put(1, [customer({ reference: '1', name, segment: 'VIP', numbers: ['+4930901820'] })]),
  );
  const nameless = '+4915123456789';
  for (let n = 0; n < 12; n += 1) await post(a.token, event({ id: `call ${n}`, from: `+4930123450${n}` }));
  for (const id of ['known', 'lost']) await post(a.token, event({ id }));
  await post(a.token, event({ id: 'nameless', from: nameless }));
  await post(a.token, event({ id: 'nameless', from: nameless, status: 'completed' }));
  await post(a.token, event({ id: 'lost', status: 'completed' }));
  const isWhole = async (id: string) => {
    const caller = card(page, id).locator('.caller');
    const [width, room] = await caller.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    assert.equal(width, room, `${id}: ${await caller.innerText()}`);
  };
  for (const size of ['desk', 'narrow'] as const) {
    await page.setViewportSize(sizes[size]);
    await page.goto(`${url}/customers`);
    await card(page, 'known').waitFor();
    assert.equal(await page.locator('[data-call]').count(), 1, 'the first to be answered');
    const { height } = (await page.locator('#bar').boundingBox()) ?? {};
    assert.ok(height && height <= 60, `${height} px high`);
    assert.deepEqual(await layoutTrouble(page), []);
    await toggle(page).click();
    await card(page, 'lost').waitFor();
    assert.equal(await toggle(page).getAttribute('aria-expanded'), 'true');
    await isWhole('nameless');
    assert.deepEqual(await layoutTrouble(page), []);
    await page.reload();
    await card(page, 'lost').waitFor();
    await toggle(page).click();
    await card(page, 'lost').waitFor({ state: 'detached' });
  }
  await post(a.token, event({ id: 'known', status: 'completed' }));
  for (let n = 0; n < 12; n += 1) await post(a.token, event({ id: `call ${n}`, status: 'completed' }));
  await post(a.token, event({ id: 'nameless too', from: nameless }));
  await card(page, 'nameless too').waitFor();
  await isWhole('nameless too');
  await page.setViewportSize(sizes.wall);
  await card(page, 'known').getByText('missed').waitFor();
  const { width = 0, x = 0 } = (await page.locator('#bar').boundingBox()) ?? {};
  assert.ok(width > 300 && width < 1920 / 4 && x > 1920 / 2, `${width} px wide at ${x}`);
  assert.deepEqual(await layoutTrouble(page), []);
});

test('the bar says how each phone system is heard and who answered, and shows the calls that its user chose', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  // What a screen is told of phone systems is not read again for a while.
  await post(a.token, event({ id: 'one' }));
  const { page } = await open(t, served, '/extensions');
  await page.getByText(/^PBX 1: last event/).waitFor({ state: 'attached' });
  await page.getByText('PBX 2: never connected').waitFor({ state: 'attached' });
  await page.getByRole('textbox', { name: 'Extension' }).fill('1001');
  await page.getByRole('textbox', { name: 'Name' }).fill('Reception');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await live(page);
  await post(a.token, event({ id: 'one', status: 'answered', caller_id: '1001' }));
  await card(page, 'one').getByText('answered by Reception (1001)').waitFor();
  await page.goto(`${url}/bar/settings`);
  await page.getByLabel('VIP').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await post(a.token, event({ id: 'stranger', from: '+493023125000' }));
  await post(a.token, event({ id: 'known' }));
  await card(page, 'known').waitFor();
  assert.equal(await card(page, 'stranger').count(), 0);
  await page.getByRole('link', { name: 'filtered' }).waitFor();
  await post(a.token, event({ id: 'stranger', from: '+493023125000', status: 'completed' }));
  // All missed callers stay to be called back.
  await page.locator('nav .count', { hasText: '1' }).waitFor();
  assert.equal(await card(page, 'stranger').count(), 0);
});

test('the caller whom I answered stays in my line and in nobody else’s until the call ends', {
  skip,
}, async (t) => {
  const served = await open(t, await serve(t), '/extensions', { run: [] });
  const { a, post, page: other, trouble, browser } = served;
  const { user, link } = await person(served, { name: 'Jana' });
  await other.reload();
  await other.getByRole('textbox', { name: 'Extension' }).fill('1001');
  await other.getByLabel('User').selectOption(user.uid);
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('Saved.').waitFor();
  const { page: mine } = await signedIn(browser, served, { link });
  await mine.goto(`${served.url}/customers`);
  for (const page of [mine, other]) await live(page);
  const line = (page: Page) =>
    page.locator('.line .call').evaluateAll((cards) => cards.map((each) => each.getAttribute('data-call')));
  const waiting = (page: Page, text: string) => page.locator('.link.live', { hasText: text }).waitFor();

  for (const id of ['known', 'colleague']) await post(a.token, event({ id }));
  for (const page of [mine, other]) await waiting(page, '2 ringing');
  await post(a.token, event({ id: 'colleague', status: 'answered', caller_id: '1002' }));
  await post(a.token, event({ id: 'known', status: 'answered', caller_id: '1001' }));
  for (const page of [mine, other]) await waiting(page, 'No one waiting, 2 on a call');
  const talking = "Alpha's customer +49 30 901820 VIP 10 on the phone with you, 0:00";
  assert.deepEqual([await line(mine), await line(other)], [['known'], []]);
  assert.equal(await said(mine, 'known'), talking);

  await post(a.token, event({ id: 'next', from: '+493023125000' }));
  for (const page of [mine, other]) await waiting(page, '1 ringing, 2 on a call');
  assert.deepEqual([await line(mine), await line(other)], [['next', 'known'], ['next']]);
  await mine.reload();
  await card(mine, 'known').waitFor();
  assert.deepEqual(await line(mine), ['next', 'known']);
  await toggle(mine).click();
  await card(mine, 'colleague').waitFor();
  assert.equal(await said(mine, 'known'), talking);
  await toggle(mine).click();

  await post(a.token, event({ id: 'next', from: '+493023125000', status: 'answered', caller_id: '1002' }));
  await card(mine, 'next').waitFor({ state: 'detached' });
  assert.deepEqual(await line(mine), ['known'], 'the colleague’s is not');
  await post(a.token, event({ id: 'known', status: 'completed' }));
  await waiting(mine, 'No one waiting, 2 on a call');
  assert.deepEqual(await line(mine), []);
  assert.deepEqual(
    trouble.filter((each) => !/ERR_CONNECTION|ERR_INCOMPLETE/.test(each)),
    [],
  );
});
