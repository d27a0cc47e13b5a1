import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { languages } from '../../src/service/words/words.ts';
import { browserImpossible, keepPicture, openBrowser, signedIn } from '../tools/browser/browser.ts';
import { layoutTrouble } from '../tools/browser/layout-trouble.ts';
import { event, serve } from '../tools/service/harness.ts';
import { withStore } from '../tools/service/people.ts';
import { report } from '../tools/service/recorded-request.ts';
import { until } from '../tools/until.ts';

const skip = browserImpossible() ?? false;

/**
 * CSS px: on both sides of the widths at which the style changes, some between, and screens that are common. A window at
 * 200 % zoom is laid out as one of half its width. From 1280 on the calls are a column.
 */
const widths = [320, 390, 520, 639, 640, 768, 834, 959, 960, 1024, 1279, 1280, 1366, 1440, 1920, 2560];

const segment = 'Bestandskunden Nordwest';
const customers = {
  '+493011111111': 'Wohnungsbaugenossenschaft Hamburg-Fuhlsbüttel und Umgebung eG',
  '+493011111112': 'Marie-Christine Hohenstein-Wittgenberg',
  '+493011111113': 'Bo Ek',
};
const [long, usual, short] = Object.keys(customers);
const stranger = '+4915123456789';

/** As in a browser that has not let the page sound yet, and with a phone system that is silent as it usually is not. */
const withWarnings = `localStorage.setItem('calls-sound', 'on');
  globalThis.AudioContext = class extends AudioContext { get state() { return 'suspended'; } };
  delete globalThis.SharedWorker;
  const parse = JSON.parse;
  JSON.parse = (text) => {
    const value = parse(text);
    for (const system of value?.systems ?? [])
      Object.assign(system, { name: 'Hauptniederlassung', last_at: Date.now() - 7_200_000, unusual: true });
    return value;
  };`;

test('the name of who rings, and of my caller, is readable at every width, in all languages', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  await withStore(served, async (store) => {
    await store.customers.putSegment(1, { name: segment, priority: 20 });
    for (const [number, name] of Object.entries(customers))
      await store.customers.put(1, [customer({ reference: number, name, segment, numbers: [number] })]);
  });
  const browser = await openBrowser(t);
  const { page: first, context } = await signedIn(browser, served);
  await withStore(served, async (store) => {
    const [user] = await store.users.list(1);
    await store.directory.putExtension(1, { extension: '1001', name: '', user: user?.id ?? null });
  });
  await until('the extension to be known', async () => {
    await first.goto(`${url}/segments`);
    return (await first.locator('#now').getAttribute('data-extensions'))?.includes('1001');
  });
  const cookies = await context.cookies();

  const open = async (language: string, script = '') => {
    const window = await browser.newContext({ locale: language, reducedMotion: 'reduce' });
    await window.addCookies(cookies);
    await window.addInitScript(script);
    const page = await window.newPage();
    await page.goto(`${url}/segments`);
    await page.locator('#now[aria-busy=false]').waitFor();
    return { language, page };
  };
  const windows = await Promise.all([...languages.keys()].map((language) => open(language)));
  const warned = await Promise.all([...languages.keys()].map((language) => open(language, withWarnings)));

  const trouble: string[] = [];
  /** Looks for these calls at the widths. */
  const look = async (
    state: string,
    ids: readonly string[],
    pages: readonly { readonly language: string; readonly page: Page }[],
  ) => {
    for (const { language, page } of pages) {
      for (const id of ids) await page.locator(`[data-call="${id}"]`).waitFor();
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await keepPicture(page, `names/${state}-${width}-${language}`);
        const found = await layoutTrouble(page);
        trouble.push(...found.map((line) => `${state} ${language} ${width}: ${line}`));
      }
    }
  };
  const called = { extras: { number_called: '+498912345678' } };
  await post(a.token, event({ id: 'long', from: long, ...called }));
  await look('one', ['long'], windows);

  // Some ring, some are answered by others, some were missed.
  for (const id of ['t1', 't2', 't3']) {
    await post(a.token, event({ id, from: short }));
    await post(a.token, event({ id, from: short, status: 'answered', caller_id: '1002' }));
  }
  for (let n = 0; n < 12; n += 1)
    for (const status of ['ringing', 'completed'])
      await post(a.token, event({ id: `lost ${n}`, from: `+49301234500${n}`, status }));
  await post(a.token, event({ id: 'mine', from: usual, ...called }));
  await look('busy', ['long'], windows);
  await look('busy-warned', ['long'], warned);
  for (const status of ['ringing', 'completed']) {
    await post(a.token, event({ id: 'third', from: short, status }));
    await post(a.token, event({ id: 'fourth', from: usual, status }));
    if (status === 'ringing') await look('many', ['third', 'fourth'], windows);
  }
  await post(a.token, event({ id: 'mine', from: usual, status: 'answered', caller_id: '1001' }));
  await look('both', ['long', 'mine'], windows);
  await look('both-warned', ['long', 'mine'], warned);
  await post(a.token, event({ id: 'long', from: long, status: 'completed' }));
  await look('mine', ['mine'], windows);
  await post(a.token, event({ id: 'stranger', from: stranger }));
  await look('stranger', ['stranger', 'mine'], windows);
  // Its end was probably lost: it has a button that closes it.
  await withStore(served, (store) =>
    report(store, { id: 'still', from: String(long), at: Date.now() - 42 * 60_000 }),
  );
  await Promise.all(windows.map(({ page }) => page.reload()));
  await look('still', ['still'], windows);
  assert.deepEqual(trouble, []);
});
