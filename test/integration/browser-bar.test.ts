import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { customer } from '../../src/service/store/customer.fixture.ts';
import { browserImpossible, keepPicture, openBrowser, signIn, type sizes } from './browser.ts';
import { layoutTrouble } from './layout-trouble.ts';
import { person, withStore } from './people.ts';
import { event, getsThrough, type Served, serve, startAgain } from './service-harness.ts';
import { MISSED, storeMissed } from './stored-calls.ts';

const skip = browserImpossible() ?? false;

const card = (page: Page, id: string) => page.locator(`[data-call="${id}"]`);
/** What the bar says of a call, without the seconds. */
const said = async (page: Page, id: string) =>
  (await card(page, id).innerText())
    .replace(/\s+/g, ' ')
    .replace(/\d+:\d\d/, '0:00')
    .trim();

/** A window with the bar opened. */
async function signInOpen(browser: Browser, served: Pick<Served, 'service'>, size?: keyof typeof sizes) {
  const signedIn = await signIn(browser, served, size && { size });
  await signedIn.page.getByRole('button', { name: 'Show calls' }).click();
  return signedIn;
}

async function open(t: TestContext) {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const signedIn = await signInOpen(browser, served);
  // What comes before its stream stands is there when it does, and no news.
  await signedIn.page.locator('.link.live').waitFor();
  return { ...served, browser, ...signedIn };
}

/**
 * Holds both clocks of the pages that are opened next, until a page's `passed` (ms) is set: what it does after some
 * seconds would come, on a busy machine, before the test has looked.
 */
const holdTime = (context: BrowserContext) =>
  context.addInitScript(`globalThis.passed = 0;
    for (const clock of [Date, performance]) {
      const began = clock.now();
      clock.now = () => began + passed;
    }`);

test('a call rings, is answered, and disappears; the highest priority is first', { skip }, async (t) => {
  const { page, a, post, trouble } = await open(t);
  await post(a.token, event({ id: 'stranger', from: '+493023125000' }));
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

  await post(a.token, event({ id: 'known', status: 'answered', caller_id: '1001' }));
  await card(page, 'known').getByText('answered by').waitFor();
  assert.equal(await said(page, 'known'), "Alpha's customer +49 30 901820 VIP 10 answered by 1001, 0:00");
  assert.match(await page.title(), /^\(1\) /);
  // It says so for four seconds: a busy machine may look after that.
  await card(page, 'known').evaluate((of) => {
    const ended = new Promise((resolve) => {
      const look = () => of.textContent?.includes('ended') && resolve(true);
      new MutationObserver(look).observe(of, { childList: true, characterData: true, subtree: true });
    });
    Object.assign(globalThis, { ended });
  });
  await post(a.token, event({ id: 'known', status: 'completed' }));
  assert.equal(await page.evaluate('ended'), true);
  await card(page, 'known').waitFor({ state: 'detached' });
  assert.deepEqual(trouble, []);
});

test('before the first request of a phone system the bar says so', { skip }, async (t) => {
  const { page, a, post } = await open(t);
  await page.getByText('No phone system has connected yet').waitFor();
  await post(a.token, event({ id: 'first' }));
  await card(page, 'first').waitFor();
  await page.getByText('1 ringing').waitFor();
  await post(a.token, event({ id: 'first', status: 'completed' }));
  await page.reload();
  await page.getByText('No active calls').waitFor();
});

test('a missed call stays on every page and screen until a colleague takes it and is done', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t);
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
  await page.locator('.link.live').waitFor();
  await card(wall, 'lost').getByRole('button', { name: "Done: Alpha's customer" }).click();
  for (const each of [page, wall]) await card(each, 'lost').waitFor({ state: 'detached' });
  await page.getByText('Nobody to call back').waitFor();
  assert.doesNotMatch(await page.title(), /to call back ·/);
  await page.getByRole('button', { name: 'Undo' }).click();
  for (const each of [page, wall]) await card(each, 'lost').getByText('missed').waitFor();
});

test('of 300 people and one who called 600 times, all are counted: by title, icon, link and bar, as on the page', {
  skip,
}, async (t) => {
  const served = await serve(t);
  await storeMissed(served, Date.now());
  const browser = await openBrowser(t);
  const { page, context, trouble } = await signInOpen(browser, served);
  await context.addInitScript(`window.badges = [];
    navigator.setAppBadge = (count) => Promise.resolve(window.badges.push(count));`);
  await page.goto(`${served.url}/call-back`);
  const cards = page.locator('.missed-call');
  /** Waits until everything says so. */
  const counted = async (count: number) => {
    await page.waitForFunction(
      (text) => document.querySelector('nav .count')?.textContent === text,
      String(count),
    );
    await page.getByRole('link', { name: `To call back: ${count}`, exact: true }).waitFor();
    assert.ok((await page.title()).startsWith(`${count} to call back · `), await page.title());
    assert.equal(await page.evaluate('window.badges.at(-1)'), count);
    await page.locator('#call-backs').getByText(`${count} callers`, { exact: true }).waitFor();
  };
  const { a, post } = served;
  const lose = async (id: string, from: string) => {
    for (const status of ['ringing', 'completed']) await post(a.token, event({ id, from, status }));
  };
  await counted(MISSED.people);
  assert.equal(await cards.count(), 50);
  assert.match(await said(page, 'missed-899'), /×600/);

  // Somebody beyond those whom the bar shows calls again; somebody new calls.
  assert.equal(await card(page, 'missed-0').count(), 0);
  await lose('again', '+493055510000');
  await card(page, 'again').getByText('×2').waitFor();
  await lose('new', '+493023125000');
  await counted(MISSED.people + 1);
  // Nobody can call back a withheld number.
  await lose('withheld', 'anonymous');
  await lose('newer', '+493023125001');
  await counted(MISSED.people + 2);
  assert.equal(await card(page, 'withheld').count(), 0);

  await card(page, 'missed-899').getByRole('button', { name: 'Done' }).click();
  await card(page, 'missed-899').waitFor({ state: 'detached' });
  await counted(MISSED.people + 1);
  assert.equal(await cards.count(), 50);
  // Those who moved up are no news.
  assert.equal(
    await page.getByRole('status').filter({ hasText: 'Missed call' }).innerText(),
    'Missed call from +49 30 23125001',
  );
  await getsThrough({ post, a }, '+493055510001');
  await counted(MISSED.people);
  await page.reload();
  await counted(MISSED.people);
  assert.deepEqual(trouble, []);
});

test('the icon of the installed app counts calls that ring and missed ones', { skip }, async (t) => {
  const { page, context, a, post } = await open(t);
  await context.addInitScript(`window.badges = [];
    navigator.setAppBadge = (count) => Promise.resolve(window.badges.push(count));`);
  await page.reload();
  await page.locator('.link.live').waitFor();
  await post(a.token, event({ id: 'one' }));
  await card(page, 'one').waitFor();
  await post(a.token, event({ id: 'two', from: '+493023125000' }));
  await card(page, 'two').waitFor();
  await post(a.token, event({ id: 'one', status: 'answered', caller_id: '1001' }));
  await card(page, 'one').getByText('answered by').waitFor();
  await post(a.token, event({ id: 'one', status: 'completed' }));
  await post(a.token, event({ id: 'two', from: '+493023125000', status: 'completed' }));
  await card(page, 'two').getByText('missed').waitFor();
  assert.deepEqual(await page.evaluate('window.badges'), [1, 2, 1]);
});

test('the pages can be installed as an app', { skip }, async (t) => {
  const { page, context, url, trouble } = await open(t);
  await page.goto(`${url}/bar`);
  assert.match(await page.title(), / · PBX Bridge$/);
  const debug = await context.newCDPSession(page);
  const { errors, data = '' } = await debug.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  assert.equal(JSON.parse(data).name, 'PBX Bridge');
  const { installabilityErrors } = await debug.send('Page.getInstallabilityErrors');
  // Windows of the tests are private ones, which install nothing.
  assert.deepEqual(
    installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'),
    [],
  );
  assert.deepEqual(trouble, []);
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
  const { browser, a, post, url, service } = await open(t);
  let n = 0;
  for (const size of ['desk', 'narrow'] as const) {
    const { page } = await signInOpen(browser, { service }, size);
    for (const end of [0, 100_000]) {
      await page.goto(`${url}/account`);
      await page.locator('.link.live').waitFor();
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
      for (const id of answered) await card(page, id).waitFor({ state: 'detached' });
      assert.deepEqual(await places(page), before, `${size}, ${end}: they are over, two were missed`);
      for (const id of missed) {
        await pressInBar(page, card(page, id).getByRole('button', { name: /^Done/ }));
        await card(page, id).waitFor({ state: 'detached' });
      }
      assert.deepEqual(await places(page), before, `${size}, ${end}: done`);
    }
  }
});

test('focused elements are not behind the bar', { skip }, async (t) => {
  const { browser, a, post, url, service } = await open(t);
  const { page } = await signInOpen(browser, { service }, 'narrow');
  await page.goto(`${url}/account`);
  for (const id of ['one', 'two', 'three']) await post(a.token, event({ id }));
  for (const id of ['one', 'two', 'three']) await card(page, id).waitFor();
  const behind = () =>
    page.evaluate(() => {
      const [focused, bar] = [document.activeElement, document.querySelector('.bar')].map((element) =>
        element?.getBoundingClientRect(),
      );
      const name = document.activeElement?.closest('main') && document.activeElement.textContent;
      return { name, hidden: (focused?.bottom ?? 0) > (bar?.top ?? 0) };
    });
  const seen: unknown[] = [];
  for (let n = 0; n < 25 && seen.at(-1) !== 'Save'; n += 1) {
    await page.keyboard.press('Tab');
    const { name, hidden } = await behind();
    if (name === null) continue; // not on the page yet
    assert.equal(hidden, false, `after ${seen.at(-1)}`);
    seen.push(name);
  }
  assert.equal(seen.at(-1), 'Save');
});

test('a call that begins during a press does not move what is pressed', {
  skip,
}, async (t) => {
  const { browser, service, context, a, post, url } = await open(t);
  const { page } = await signInOpen(browser, { service }, 'narrow');
  await holdTime(page.context()); // the longest press takes five seconds
  for (const status of ['ringing', 'completed']) await post(a.token, event({ id: 'lost', status }));
  const beside = await context.newPage();
  await beside.goto(`${url}/bar`);
  const press = async (button: Locator, id: string) => {
    const box = await button.boundingBox();
    if (box === null) throw new Error('nothing to press');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await post(a.token, event({ id }));
    await card(beside, id).waitFor();
    // Longer than the bar takes to draw by itself.
    await sleep(600);
    await page.mouse.up();
    await card(page, id).waitFor();
  };
  await page.goto(`${url}/account`);
  await card(page, 'lost').waitFor();
  const save = page.getByRole('form', { name: 'Account settings' }).getByRole('button', { name: 'Save' });
  // Just above the bar.
  await save.evaluate((element) => {
    const top = document.querySelector('.bar')?.getBoundingClientRect().top ?? 0;
    scrollBy(0, element.getBoundingClientRect().bottom - top + 2);
  });
  await press(save, 'one');
  await page.getByText('Saved.').waitFor();

  await page.goto(`${url}/bar`);
  await press(card(page, 'lost').getByRole('button', { name: /^Done/ }), 'two');
  await card(page, 'lost').waitFor({ state: 'detached' });
});

test('a focused field is not behind the bar when calls begin', { skip }, async (t) => {
  const { browser, service, a, post, url } = await open(t);
  const { page } = await signInOpen(browser, { service }, 'narrow');
  await page.goto(`${url}/account`);
  await page.locator('.link.live').waitFor();
  await page.getByLabel('Time zone').focus();
  for (const id of ['one', 'two', 'three']) await post(a.token, event({ id }));
  for (const id of ['one', 'two', 'three']) await card(page, id).waitFor();
  const [field, bar] = await Promise.all(
    ['[name=zone]', '.bar'].map((what) => page.locator(what).boundingBox()),
  );
  assert.ok((field?.y ?? 0) + (field?.height ?? 0) <= (bar?.y ?? 0));
});

test('a page that fits its window does not scroll, nor does the link to the calls scroll it', {
  skip,
}, async (t) => {
  const { page, url } = await open(t);
  await page.goto(`${url}/customers/segments`);
  await page.locator('.link.live').waitFor();
  const scrolled = () =>
    page.evaluate(() => [document.documentElement.scrollHeight - innerHeight, scrollY, location.hash]);
  assert.deepEqual(await scrolled(), [0, 0, '']);
  await page.setViewportSize({ width: 320, height: 300 });
  await page.getByRole('link', { name: 'Skip to calls' }).press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'bar');
  assert.deepEqual((await scrolled()).slice(1), [0, '']);
});

test('twelve pages of one browser share one stream', { skip }, async (t) => {
  const { page, context, a, post, url } = await open(t);
  const pages = [page];
  for (let n = 1; n < 12; n += 1) {
    const next = await context.newPage();
    await next.goto(`${url}/account`);
    pages.push(next);
  }
  await post(a.token, event({ id: 'one' }));
  for (const each of pages) await card(each, 'one').waitFor();
});

test('after a restart of the service, ended calls are gone and ringing ones show', {
  skip,
}, async (t) => {
  const { page, a, post, service, stateDir, url } = await open(t);
  await post(a.token, event({ id: 'over soon' }));
  await post(a.token, event({ id: 'rings on' }));
  await card(page, 'over soon').waitFor();
  await service.stop();
  await page.locator('.link.lost').waitFor();
  for (const id of ['over soon', 'rings on'])
    assert.equal(await card(page, id).count(), 0, 'nobody knows whether it rings');

  // It ends before the page can be back: else the page may show it end, as is right.
  await startAgain(t, { stateDir, url }, async (elsewhere) => {
    for (const status of ['answered', 'completed'])
      await elsewhere.post(a.token, event({ id: 'over soon', status }));
  });
  await card(page, 'rings on').waitFor();
  assert.equal(await card(page, 'over soon').count(), 0);
  await post(a.token, event({ id: 'new' }));
  await card(page, 'new').waitFor();
});

test('durations are right although the PC’s clock is wrong or set', { skip }, async (t) => {
  const { page, context, a, post, url } = await open(t);
  await post(a.token, event({ id: 'one' }));
  await card(page, 'one').waitFor();
  await page.close();
  const wrong = await context.newPage();
  await wrong.clock.install({ time: new Date('2019-01-01T00:00:00Z') });
  await wrong.goto(`${url}/account`);
  await card(wrong, 'one').waitFor();
  assert.match(await card(wrong, 'one').locator('.what').innerText(), /^ringing 0:\d\d$/);
  // As after an hour of sleep: nothing is certain for a moment, then the stream says what is.
  await wrong.clock.setSystemTime(new Date('2019-01-01T01:00:00Z'));
  await card(wrong, 'one').waitFor();
  assert.match(await card(wrong, 'one').locator('.what').innerText(), /^ringing 0:\d\d$/);
});

test('screen readers hear of new and missed calls, never the seconds', {
  skip,
}, async (t) => {
  const { page, a, post } = await open(t);
  await page.evaluate(`new MutationObserver((changes) => {
    for (const { target } of changes) (globalThis.heard ??= []).push(target.textContent);
  }).observe(document.querySelector('[role=status].unseen'), { childList: true })`);
  await post(a.token, event());
  // A busy machine may draw no frame while it is just two seconds.
  await card(page, 'pbx-1')
    .getByText(/^0:(0[2-9]|[1-5]\d)$/)
    .waitFor();
  await post(a.token, event({ status: 'completed' }));
  await card(page, 'pbx-1').getByText('missed').waitFor();
  assert.deepEqual(await page.evaluate('heard'), [
    "Ringing: Alpha's customer, VIP",
    "Missed call from Alpha's customer",
  ]);
});

test('after signing out in another tab, no name of a caller stays on the page', { skip }, async (t) => {
  const { page, context, url } = await open(t);
  const other = await context.newPage();
  await other.goto(`${url}/account`);
  await other.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.waitForURL('**/sign-in?to=*');
});

test('ringtone and desktop alert work if switched on, until the call is answered', {
  skip,
}, async (t) => {
  const { page, context, a, post, url } = await open(t);
  await context.grantPermissions(['notifications']);
  await holdTime(context); // it rings again every four seconds
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
  await page.locator('.link.live').waitFor();
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
  await page.locator('.link.live').waitFor();
  await choices.click();
  for (const name of ['Desktop alerts', 'Ringtone: on', 'Sound for missed calls'])
    assert.equal(await page.getByRole('button', { name }).getAttribute('aria-pressed'), 'true', 'it is kept');
  assert.equal(await page.getByLabel('Volume').inputValue(), '90');
  await shown();
  await post(a.token, event({ id: 'loud' }));
  await card(page, 'loud').waitFor();
  assert.deepEqual(await shown(), ['tone', 'tone', "shown: Alpha's customer: +49 30 901820 · VIP"]);
  await page.evaluate('passed += 4500');
  while (!((await shown()) as string[]).includes('tone')) await sleep(100); // it rings on
  await post(a.token, event({ id: 'loud', status: 'answered' }));
  await card(page, 'loud').getByText('answered').waitFor();
  assert.deepEqual(await shown(), ['closed: loud']);
  await post(a.token, event({ id: 'silent', status: 'completed' }));
  await card(page, 'silent').getByText('missed').waitFor();
  assert.deepEqual(await shown(), ['tone', 'tone'], 'missed');
});

test('where the browser blocks sound, the bar says so until a press allows it', { skip }, async (t) => {
  const { page, context, url } = await open(t);
  await page.getByRole('button', { name: 'Ringtone: off' }).click();
  await page.close();
  // As in a new browser session: no press has allowed it yet.
  await context.addInitScript(`globalThis.AudioContext = class extends AudioContext {
    allowed = false;
    get state() { return this.allowed ? 'running' : 'suspended'; }
    resume() { this.allowed = navigator.userActivation.hasBeenActive; return super.resume(); }
  };`);
  const next = await context.newPage();
  await next.goto(`${url}/customers`);
  const blocked = next.getByRole('button', { name: 'Ringtone blocked by the browser: press to allow' });
  await blocked.click();
  await next.getByRole('button', { name: 'Ringtone: on' }).waitFor();
});

test('one line by default, also when many calls ring; it opens and stays open; a column in a wide window', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  const browser = await openBrowser(t);
  const name = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverkäuferinnung '.repeat(3);
  await withStore(served, (store) =>
    store.customers.put(1, [customer({ reference: '1', name, segment: 'VIP', numbers: ['+4930901820'] })]),
  );
  for (let n = 0; n < 12; n += 1) await post(a.token, event({ id: `call ${n}`, from: `+4930123450${n}` }));
  for (const id of ['known', 'lost']) await post(a.token, event({ id }));
  await post(a.token, event({ id: 'lost', status: 'completed' }));
  const height = (page: Page) => page.locator('#bar').evaluate((bar) => bar.getBoundingClientRect().height);
  for (const size of ['desk', 'narrow'] as const) {
    const { page } = await signIn(browser, served, { size });
    await card(page, 'known').waitFor();
    assert.equal(await page.locator('[data-call]').count(), 1, 'the first to be answered');
    const line = await height(page);
    assert.ok(line <= 60, `${line} px high`);
    assert.deepEqual(await layoutTrouble(page), []);
    const toggle = page.locator('.toggle');
    await toggle.click();
    await card(page, 'lost').waitFor();
    assert.equal(await toggle.getAttribute('aria-expanded'), 'true');
    assert.deepEqual(await layoutTrouble(page), []);
    await page.goto(`${url}/customers`);
    await card(page, 'lost').waitFor();
    await toggle.click();
    await card(page, 'lost').waitFor({ state: 'detached' });
  }
  const { page } = await signIn(browser, served, { size: 'wall' });
  await card(page, 'lost').waitFor();
  const { width = 0, x = 0 } = (await page.locator('#bar').boundingBox()) ?? {};
  assert.ok(width > 300 && width < 1920 / 4 && x > 1920 / 2, `${width} px wide at ${x}`);
  assert.deepEqual(await layoutTrouble(page), []);
});

test('a number without a name is whole on a phone, in the line and in the open bar', { skip }, async (t) => {
  const served = await serve(t);
  const { a, post } = served;
  const browser = await openBrowser(t);
  for (const id of ['rings', 'lost']) await post(a.token, event({ id, from: '+4915123456789' }));
  await post(a.token, event({ id: 'lost', from: '+4915123456789', status: 'completed' }));
  const { page } = await signIn(browser, served, { size: 'narrow' });
  const isWhole = async (id: string) => {
    const caller = card(page, id).locator('.caller');
    await caller.waitFor();
    const [width, room] = await caller.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    assert.equal(width, room, `${id}: ${await caller.innerText()}`);
  };
  await isWhole('rings');
  assert.deepEqual(await layoutTrouble(page), []);
  await page.getByRole('button', { name: 'Show calls' }).click();
  await isWhole('rings');
  await isWhole('lost');
  assert.deepEqual(await layoutTrouble(page), []);
});

test('the bar shows and rings for the calls that its user chose; all missed callers stay to be called back', {
  skip,
}, async (t) => {
  const { page, a, post, url } = await open(t);
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
  await page.locator('nav .count', { hasText: '1' }).waitFor();
  assert.equal(await card(page, 'stranger').count(), 0);
});

test('the bar says how each phone system is heard, and who answered by name', { skip }, async (t) => {
  const served = await open(t);
  const { page, a, post } = served;
  await page.goto(`${served.url}/extensions`);
  await page.getByRole('textbox', { name: 'Extension' }).fill('1001');
  await page.getByRole('textbox', { name: 'Name' }).fill('Reception');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await post(a.token, event({ id: 'one', status: 'answered', caller_id: '1001' }));
  await card(page, 'one').getByText('answered by Reception (1001)').waitFor();
  await page.reload();
  await page.getByText('Phone systems and sound').click();
  await page.getByText(/^PBX 1: last event/).waitFor();
  await page.getByText('PBX 2: never connected').waitFor();
});

test('the caller whom I answered stays in my line, and in nobody else’s, until the call ends', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url, service } = served;
  const browser = await openBrowser(t);
  const { page: other, context, trouble } = await signIn(browser, served);
  const { user, link } = await person(served, { name: 'Jana' });
  await other.goto(`${url}/extensions`);
  await other.getByRole('textbox', { name: 'Extension' }).fill('1001');
  await other.getByLabel('User').selectOption(user.uid);
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('Saved.').waitFor();
  const { page: mine } = await signIn(browser, { service: { link: async () => link } });
  for (const page of [mine, other]) await page.locator('.link.live').waitFor();
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
  await mine.getByRole('button', { name: 'Show calls' }).click();
  assert.equal(await said(mine, 'known'), talking);
  await mine.getByRole('button', { name: 'Hide calls' }).click();

  await service.stop();
  await mine.locator('.link.lost').waitFor();
  assert.deepEqual(await line(mine), [], 'nobody knows whether they still talk');
  await startAgain(t, served, async () => {});
  await card(mine, 'known').waitFor();
  assert.deepEqual(await line(mine), ['next', 'known']);
  await post(a.token, event({ id: 'next', from: '+493023125000', status: 'answered', caller_id: '1002' }));
  await card(mine, 'next').waitFor({ state: 'detached' });
  assert.deepEqual(await line(mine), ['known'], 'the colleague’s is not');
  await post(a.token, event({ id: 'known', status: 'completed' }));
  await waiting(mine, 'No one waiting, 2 on a call');
  assert.deepEqual(await line(mine), []);
  await context.close();
  assert.deepEqual(
    trouble.filter((each) => !/ERR_CONNECTION|ERR_INCOMPLETE/.test(each)),
    [],
  );
});

test('the first paint waits for the page and its stylesheet only, and both are small', {
  skip,
}, async (t) => {
  const { page, url } = await open(t);
  await page.goto(`${url}/customers`);
  const waitedFor = await page.evaluate(`performance.getEntries()
    .filter(({ entryType, renderBlockingStatus }) => entryType === 'navigation' || renderBlockingStatus === 'blocking')
    .map(({ name, encodedBodySize }) => [name.split('/').at(-1), encodedBodySize])`);
  const files = waitedFor as [string, number][];
  assert.deepEqual(
    files.map(([name]) => name),
    ['customers', 'style.css'],
  );
  const bytes = files.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(bytes > 1000 && bytes < 30_000, `${bytes} bytes: at 1 Mbit/s, a quarter of a second`);
});
