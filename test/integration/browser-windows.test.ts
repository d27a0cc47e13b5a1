import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { languages } from '../../src/service/pages/words/words.ts';
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
 * Every page and its states in windows of all sizes, both themes and all languages: each view in two windows, the next
 * one in other windows. PBX_LAB_WINDOWS, a pattern such as `.` or `de-phone-dark|fr-tablet`, says which windows instead;
 * all of them take half an hour. PBX_LAB_SCREENS=1 keeps the pictures in dist/screens.
 */
const wanted = process.env.PBX_LAB_WINDOWS && new RegExp(process.env.PBX_LAB_WINDOWS);
const skip = browserImpossible() ?? false;

type Window = { readonly language: string; readonly size: keyof typeof sizes; readonly theme: Theme };
const windows: readonly Window[] = [...languages.keys()].flatMap((language) =>
  (['phone', 'tablet', 'desk', 'wide', 'wall'] as const).flatMap((size) =>
    (['light', 'dark'] as const).map((theme) => ({ language, size, theme })),
  ),
);
const nameOf = ({ language, size, theme }: Window) => `${language}-${size}-${theme}`;

/** The windows of a view: what it shows depends on the size, its contrasts on the theme, how long its texts are on the language. */
function windowsOf(index: number): Window[] {
  if (wanted) return windows.filter((window) => wanted.test(nameOf(window)));
  const tags = [...languages.keys()];
  const language = tags[index % tags.length] as string;
  const isOdd = Math.floor(index / tags.length) % 2 === 1;
  return [
    { language, size: 'phone', theme: isOdd ? 'dark' : 'light' },
    { language, size: 'wide', theme: isOdd ? 'light' : 'dark' },
  ];
}

/** A page, or what it becomes when `form` is sent with these fields, or after `act`. */
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
  { name: 'user-added', path: '/users', form: ['/users', { name: 'Wilhelmina van der Berg' }] },
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
  const pages = new Map<string, Page>();
  for (const language of languages.keys()) {
    const context = await browser.newContext({ locale: language, reducedMotion: 'reduce' });
    if (cookies) await context.addCookies(cookies);
    pages.set(language, await context.newPage());
  }
  for (const [index, view] of views.entries()) {
    let shown: string | undefined;
    for (const window of windowsOf(index)) {
      const page = pages.get(window.language) as Page;
      await page.setViewportSize(sizes[window.size]);
      await page.emulateMedia({ colorScheme: window.theme });
      if (shown !== window.language) await open(page, url, view);
      shown = window.language;
      await keepPicture(page, `${nameOf(window)}/${office}-${view.name}`);
      const found = [
        ...(await layoutTrouble(page)),
        ...(await accessibilityTrouble(page, { targets: true })),
      ];
      trouble.push(...found.map((line) => `${office} ${view.name} ${nameOf(window)}: ${line}`));
    }
  }
  for (const page of pages.values()) await page.context().close();
  t.diagnostic(`${views.length} views`);
  assert.deepEqual(trouble, []);
}
type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

async function open(page: Page, url: string, { path, form, act }: View): Promise<void> {
  await page.goto('about:blank');
  await page.goto(url + path);
  if (form) {
    const loaded = page.waitForEvent('load');
    await page.evaluate(
      ([action, fields]) => {
        const sent = document.querySelector(`form[method=post][action="${action}"]`) as HTMLFormElement;
        sent.noValidate = true;
        for (const [name, value] of Object.entries(fields))
          Object.assign(sent.elements.namedItem(name) ?? {}, { value });
        sent.requestSubmit();
      },
      form as [string, Record<string, string>],
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
      {
        reference: '90001',
        name: 'Wohnungsbaugenossenschaft Hamburg-Fuhlsbüttel und Umgebung eG',
        segment: 'VIP',
        numbers: ['+493011111111'],
      },
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
