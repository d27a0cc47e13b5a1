import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { languages } from '../../src/service/pages/words/words.ts';
import { customer } from '../../src/service/store/customer.fixture.ts';
import { colleagues } from '../office/customers.ts';
import { givePast } from '../office/past.ts';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  openBrowser,
  signIn,
  sizes,
  type Theme,
} from './browser.ts';
import { addWebhook, everyPage } from './every-page.ts';
import { layoutTrouble } from './layout-trouble.ts';
import { person, withStore } from './people.ts';
import { event, type Served, serve } from './service-harness.ts';

/**
 * Every page and its states, in windows of five sizes, two themes and five languages: each view in every size once.
 * PBX_LAB_WINDOWS, a pattern such as `.` or `fr-phone-dark|nl-wall`, has them looked at in these windows instead; all
 * of them take half an hour. PBX_LAB_SCREENS=1 keeps pictures in dist/screens.
 */
const wanted = process.env.PBX_LAB_WINDOWS ? new RegExp(process.env.PBX_LAB_WINDOWS) : undefined;
const skip = browserImpossible() ?? false;

const tags = [...languages.keys()];
const windowSizes = ['phone', 'tablet', 'desk', 'wide', 'wall'] as const;
const themes: readonly Theme[] = ['light', 'dark'];

/**
 * The windows of a view in a language: of each size one, and the next view's are in other languages and themes. In two of
 * the five sizes, other ones for the next view, it is also checked for accessibility, which takes as long as all else;
 * browser-pages.test.ts does that with every page in both themes.
 */
function windowsOf(language: string, index: number) {
  const all = windowSizes.flatMap((size, number) =>
    themes.map((theme, dark) => ({
      ...{ size, theme, name: `${language}-${size}-${theme}`, at: [number, dark] },
      accessibility: wanted !== undefined || (number + index) % windowSizes.length < 2,
    })),
  );
  if (wanted) return all.filter(({ name }) => wanted.test(name));
  const turn = tags.indexOf(language) + index;
  return all.filter(
    ({ at: [number, dark] }) => number === turn % windowSizes.length && dark === Math.floor(turn / 5) % 2,
  );
}

/** A page, or what it becomes when `form` is sent with these fields (with the {language}), or after `act`. */
type View = {
  readonly name: string;
  readonly path: string;
  readonly form?: readonly [action: string, fields: Record<string, string>];
  readonly act?: (page: Page) => Promise<unknown>;
};

const wrongForms: readonly View[] = [
  ['/customers/new', '/customers/save', { name: '', numbers: 'hello', reference: '10001' }],
  ['/customers/segments', '/customers/segments', { name: '', priority: 'many' }],
  ['/customers/import', '/customers/import', { table: 'Firma;Telefon;Gruppe\nBlitz;040 11;Gold\n' }],
  ['/users', '/users', { name: 'Anna' }],
  ['/integrations', '/integrations', { name: '' }],
  ['/extensions', '/extensions', { extension: '' }],
  ['/integrations/webhooks', '/integrations/webhooks', { url: 'nowhere' }],
  ['/opening-hours', '/opening-hours', { closed: 'some day' }],
  ['/account', '/account/settings', { account: '', crm: 'javascript:', within: '0' }],
  ['/account', '/account/password', { current: 'wrong', password: 'short' }],
  ['/account/second-factor', '/account/second-factor', { current: 'wrong', code: '000000' }],
].map(([path, action, fields]) => ({
  name: `wrong${String(action).replaceAll('/', '-')}`,
  path: String(path),
  form: [action, fields] as View['form'] & {},
}));

const toggleBar = (page: Page) => page.evaluate(`document.querySelector('#bar .toggle').click()`);

const states: readonly View[] = [
  { name: 'no-page', path: '/nothing/here' },
  { name: 'no-user', path: '/users/nobody' },
  { name: 'user-added', path: '/users', form: ['/users', { name: 'Wilhelmina van der Berg {language}' }] },
  { name: 'bar-open', path: '/customers/segments', act: toggleBar },
  {
    name: 'bar-more',
    path: '/customers/segments',
    act: async (page) => {
      await toggleBar(page);
      await page.evaluate(`document.querySelector('.bar-more').open = true`);
    },
  },
];

const emptyPages = [
  '/',
  '/calls',
  '/call-back',
  '/customers',
  '/reports',
  '/api-log',
  '/users',
  '/integrations',
];
const plainPages: readonly View[] = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'sign-in-wrong', path: '/sign-in', form: ['/sign-in', { name: 'Anna', password: 'wrong' }] },
  { name: 'sign-in-old-link', path: '/sign-in#old' },
];

/** Opens `views`, each in its windows, and checks them. */
async function lookAt(
  t: TestContext,
  office: string,
  views: readonly View[],
  { browser, url, cookies }: { browser: Browser; url: string; cookies?: Cookies },
): Promise<void> {
  const trouble: string[] = [];
  let checked = 0;
  await Promise.all(
    tags.map(async (language) => {
      const context = await browser.newContext({ locale: language, reducedMotion: 'reduce' });
      context.setDefaultTimeout(0); // However busy the machine is.
      if (cookies) await context.addCookies(cookies);
      const page = await context.newPage();
      for (const [index, view] of views.entries()) {
        const windows = windowsOf(language, index);
        if (windows.length > 0) await open(page, url, view, language);
        for (const { size, theme, name, accessibility } of windows) {
          await page.setViewportSize(sizes[size]);
          await page.emulateMedia({ colorScheme: theme });
          await keepPicture(page, `${name}/${office}-${view.name}`);
          const found = await layoutTrouble(page);
          if (accessibility) found.push(...(await accessibilityTrouble(page)));
          checked += 1;
          trouble.push(...found.map((line) => `${office} ${view.name} ${name}: ${line}`));
        }
      }
      await context.close();
    }),
  );
  t.diagnostic(`${office}: ${views.length} views in ${checked} windows`);
  assert.deepEqual(trouble, []);
}
type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

async function open(page: Page, url: string, { path, form, act }: View, language: string): Promise<void> {
  // Another place on the page that is open would not load it.
  if (path.includes('#')) await page.goto('about:blank');
  await page.goto(url + path);
  if (form) {
    const loaded = page.waitForEvent('load');
    await page.evaluate(
      ([action, fields, language]) => {
        const sent = document.querySelector(`form[method=post][action="${action}"]`) as HTMLFormElement;
        sent.noValidate = true;
        for (const [name, value] of Object.entries(fields))
          Object.assign(sent.elements.namedItem(name) ?? {}, {
            value: value.replace('{language}', language),
          });
        sent.requestSubmit();
      },
      [...form, language] as [string, Record<string, string>, string],
    );
    await loaded;
  }
  if ((await page.locator('#bar').count()) > 0) {
    await page.evaluate(`localStorage.removeItem('calls-open')`);
    await page.locator('.link.live, .link.lost').first().waitFor({ state: 'attached' });
  }
  await page.evaluate(`for (const part of document.querySelectorAll('main details')) part.open = true`);
  await act?.(page);
}

/** The demo's office, where calls ring, are answered and were missed at this moment. */
async function giveOffice(served: Served): Promise<void> {
  for (const [extension, name] of Object.entries(colleagues)) {
    const { user } = await person(served, { name });
    await withStore(served, (store) =>
      store.directory.putExtension(1, { extension, name: '', user: user.id }),
    );
  }
  await withStore(served, async (store) => {
    await store.customers.put(1, [
      customer({
        reference: '90001',
        name: 'Wohnungsbaugenossenschaft Hamburg-Fuhlsbüttel und Umgebung eG',
        segment: 'VIP',
        numbers: ['+493011111111'],
      }),
    ]);
    await givePast(store, { account: 1, integration: 1, now: Date.now(), days: 35, timeZone: 'UTC' });
  });
  await withStore(served, (store) => addWebhook(store, 1));
  const { a, post } = served;
  for (const [id, from] of Object.entries({ r1: '+493011111111', r2: '+4930901820', t1: '+494066969102' }))
    await post(a.token, event({ id, from }));
  await post(a.token, event({ id: 't1', from: '+494066969102', status: 'answered', caller_id: '1001' }));
}

describe('windows of all sizes, in both themes and all languages', { skip }, () => {
  test('the office', async (t) => {
    const served = await serve(t);
    await giveOffice(served);
    const browser = await openBrowser(t);
    const { context } = await signIn(browser, served);
    const pages = await withStore(served, (store) => everyPage(store, 1));
    const views = [...pages, ...wrongForms, ...states];
    await lookAt(t, 'office', views, { browser, url: served.url, cookies: await context.cookies() });
  });

  test('an empty account, and who is not signed in', async (t) => {
    const served = await serve(t);
    const browser = await openBrowser(t);
    const { context } = await signIn(browser, served);
    await withStore(served, async (store) => {
      await store.customers.remove(1, '1');
      await store.customers.removeSegment(1, 'VIP');
    });
    const cookies = await context.cookies();
    const pages = emptyPages.map((path) => ({ name: path.slice(1) || 'dashboard', path }));
    await lookAt(t, 'empty', pages, { browser, url: served.url, cookies });
    await lookAt(t, 'plain', plainPages, { browser, url: served.url });
  });

  test('the first page of a browser is under 60 kB', async (t) => {
    const served = await serve(t);
    await giveOffice(served);
    const browser = await openBrowser(t);
    const { context } = await signIn(browser, served);
    const fresh = await browser.newContext();
    await fresh.addCookies(await context.cookies());
    const page = await fresh.newPage();
    const loaded: Promise<number>[] = [];
    page.on('response', (response) => {
      if (!response.headers()['content-type']?.startsWith('text/event-stream'))
        loaded.push(response.body().then((body) => gzipSync(body).length));
    });
    await page.goto(served.url);
    await page.locator('.link.live').waitFor();
    const bytes = (await Promise.all(loaded)).reduce((sum, each) => sum + each, 0);
    assert.ok(bytes > 10_000 && bytes < 60_000, `${bytes} bytes`);
  });
});
