import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { languages } from '../../src/service/words/words.ts';
import { colleagues } from '../office/customers.ts';
import { givePast } from '../office/past.ts';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  openBrowser,
  signedIn,
  sizes,
  type Theme,
  type Watched,
  watch,
} from './browser.ts';
import { addBridgeReport, addWebhook, everyPage } from './every-page.ts';
import { giveHostile } from './hostile.ts';
import { layoutTrouble } from './layout-trouble.ts';
import { person, withStore } from './people.ts';
import { event, type Served, serve } from './service-harness.ts';

/**
 * Every page and its states, in two of the five languages (the next one in two others), one in the light theme and one in
 * the dark, in windows of three sizes each, of all five together. Once it is checked for accessibility, and once more for the contrast of the other
 * theme. PBX_LAB_WINDOWS, a pattern such as `.` or `fr-phone-dark|nl-wall`, has them looked at in these windows instead; all
 * of them take half an hour. PBX_LAB_SCREENS=1 keeps pictures in dist/screens.
 */
const wanted = process.env.PBX_LAB_WINDOWS ? new RegExp(process.env.PBX_LAB_WINDOWS) : undefined;
const skip = browserImpossible() ?? false;

const tags = [...languages.keys()];
const windowSizes = ['phone', 'tablet', 'desk', 'wide', 'wall'] as const;
const themes: readonly Theme[] = ['light', 'dark'];

type Window = { readonly size: keyof typeof sizes; readonly theme: Theme };
type WindowsOf = (language: string, view: number) => readonly Window[];

const inTurn: WindowsOf = (language, index) => {
  if (wanted)
    return windowSizes
      .flatMap((size) => themes.map((theme) => ({ size, theme })))
      .filter(({ size, theme }) => wanted.test(`${language}-${size}-${theme}`));
  const nth = (tags.indexOf(language) + index) % tags.length;
  const theme = themes[nth];
  if (theme === undefined) return [];
  return [0, 1, 2].map((at) => ({
    theme,
    size: windowSizes[(index + 3 * nth + at) % windowSizes.length] ?? 'desk',
  }));
};

/**
 * A page, or what it becomes when `form` is sent with these fields (with the {language}), or after `act`. `refused`: it is
 * answered by an error. `alike`: a page whose accessibility was checked with other data.
 */
type View = {
  readonly name: string;
  readonly path: string;
  readonly form?: readonly [action: string, fields: Record<string, string>];
  readonly act?: (page: Page) => Promise<unknown>;
  readonly refused?: true;
  readonly alike?: boolean;
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
  refused: true,
}));

const openBar = (page: Page) =>
  page.locator('#bar .toggle').evaluate((toggle: HTMLElement) => toggle.click());

const states: readonly View[] = [
  { name: 'no-page', path: '/nothing/here', refused: true },
  { name: 'no-user', path: '/users/nobody', refused: true },
  { name: 'user-added', path: '/users', form: ['/users', { name: 'Wilhelmina van der Berg {language}' }] },
  { name: 'bar-open', path: '/customers/segments', act: openBar },
  {
    name: 'bar-more',
    path: '/customers/segments',
    act: async (page) => {
      await openBar(page);
      await page.evaluate(`document.querySelector('.bar-more').open = true`);
    },
  },
];

const emptyPages = ['', 'calls', 'call-back', 'customers', 'reports', 'api-log', 'users', 'integrations'];
const plainPages: readonly View[] = [
  { name: 'sign-in', path: '/sign-in' },
  {
    name: 'sign-in-wrong',
    path: '/sign-in',
    form: ['/sign-in', { name: 'Anna', password: 'wrong' }],
    refused: true,
  },
  { name: 'sign-in-old-link', path: '/sign-in#old', refused: true },
];

/** Opens `views`, each in its windows of each language, and checks them. */
async function lookAt(
  t: TestContext,
  office: string,
  views: readonly View[],
  open: (language: string) => Promise<Watched>,
  {
    url,
    windowsOf = inTurn,
    in: spoken = tags,
  }: { url: string; windowsOf?: WindowsOf; in?: readonly string[] },
): Promise<void> {
  const found: string[] = [];
  let checked = 0;
  await Promise.all(
    spoken.map(async (language) => {
      const { page, trouble } = await open(language);
      page.setDefaultTimeout(0); // However busy the machine is.
      for (const [index, view] of views.entries()) {
        const windows = windowsOf(language, index);
        if (windows.length === 0) continue;
        const bytes = await show(page, url + view.path, view, language);
        // The first page of a browser brings all that the next ones have already.
        const most = index === 0 ? 60_000 : 100_000;
        const seen = bytes < most ? [] : [`${bytes} bytes`];
        if (view.refused) trouble.length = 0;
        for (const [nth, { size, theme }] of windows.entries()) {
          await page.setViewportSize(sizes[size]);
          await page.emulateMedia({ colorScheme: theme });
          await keepPicture(page, `${language}-${size}-${theme}/${office}-${view.name}`);
          seen.push(...(await layoutTrouble(page)));
          checked += 1;
          if (nth === 0 && !view.alike)
            seen.push(...(await accessibilityTrouble(page, theme === 'light' ? 'all' : 'contrast')));
        }
        found.push(
          ...[...seen, ...trouble.splice(0)].map((line) => `${office} ${view.name} ${language}: ${line}`),
        );
      }
    }),
  );
  t.diagnostic(`${office}: ${views.length} views in ${checked} windows`);
  assert.deepEqual(found, []);
}

/** Opens a view; gives the compressed bytes that were loaded for it. */
async function show(page: Page, url: string, { form, act }: View, language: string): Promise<number> {
  // Another place on the page that is open would not load it.
  if (url.includes('#')) await page.goto('about:blank');
  await page.goto(url);
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
  const files = `performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0)`;
  return gzipSync(await page.content()).length + Number(await page.evaluate(files));
}

/** A window in a language, with these cookies. */
const windowsIn = (browser: Browser, cookies: Cookies) => async (locale: string) => {
  const context = await browser.newContext({ locale, reducedMotion: 'reduce' });
  await context.addCookies(cookies);
  return watch(context);
};
type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** The demo's office, where calls ring, are answered and were missed at this moment. */
async function giveOffice(served: Served): Promise<void> {
  for (const [extension, name] of Object.entries(colleagues)) {
    const { user } = await person(served, { name });
    await withStore(served, (store) =>
      store.directory.putExtension(1, { extension, name: '', user: user.id }),
    );
  }
  await withStore(served, async (store) => {
    const name = 'Wohnungsbaugenossenschaft Hamburg-Fuhlsbüttel und Umgebung eG';
    await store.customers.put(1, [
      customer({ reference: '90001', name, segment: 'VIP', numbers: ['+493011111111'] }),
    ]);
    await givePast(store, { account: 1, integration: 1, now: Date.now(), days: 35, timeZone: 'UTC' });
    await addWebhook(store, 1);
    await addBridgeReport(store, 1);
  });
  const { a, post } = served;
  for (const [id, from] of Object.entries({ r1: '+493011111111', r2: '+4930901820', t1: '+494066969102' }))
    await post(a.token, event({ id, from }));
  await post(a.token, event({ id: 't1', from: '+494066969102', status: 'answered', caller_id: '1001' }));
}

describe('windows of all sizes, in both themes and all languages, without an error', { skip }, () => {
  test('the office', async (t) => {
    const served = await serve(t);
    await giveOffice(served);
    const browser = await openBrowser(t);
    const pages = await withStore(served, (store) => everyPage(store, 1));
    const { context } = await signedIn(browser, served);
    const views = [...pages, ...wrongForms, ...states];
    await lookAt(t, 'office', views, windowsIn(browser, await context.cookies()), served);
  });

  test('an empty account, and who is not signed in', async (t) => {
    const served = await serve(t);
    const browser = await openBrowser(t);
    await withStore(served, async (store) => {
      await store.customers.remove(1, '1');
      await store.customers.removeSegment(1, 'VIP');
    });
    const pages = emptyPages.map((name) => ({ name: name || 'dashboard', path: `/${name}` }));
    const { context } = await signedIn(browser, served);
    await lookAt(t, 'empty', pages, windowsIn(browser, await context.cookies()), served);
    await lookAt(t, 'plain', plainPages, windowsIn(browser, []), served);
  });

  test('untrusted texts, which run nothing', async (t) => {
    const served = await serve(t);
    const browser = await openBrowser(t);
    const { page, trouble } = await signedIn(browser, served);
    const pages = await withStore(served, async (store) => {
      await giveHostile(store, 1, 1);
      await addWebhook(store, 1);
      await addBridgeReport(store, 1);
      return everyPage(store, 1);
    });
    const linksOf = async (path: string, to: string) => {
      await page.goto(served.url + path);
      const links = await page
        .locator(`main a[href^="${to}?"]`)
        .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
      assert.ok(links.length > 10, `${path} has ${links.length} links to ${to}`);
      return links;
    };
    // Each text is in the first request of its call.
    const requests = (await linksOf('/api-log', '/api-log/entry')).slice(-18);
    const links = [...(await linksOf('/calls', '/calls/details')), ...requests];
    const searches = ['<script>', '"><img src=x onerror=alert(1)>'].flatMap((term) =>
      ['/calls?q=', '/calls?number=', '/reports?of=answered:', '/api-log?in=request&term='].map(
        (search) => search + encodeURIComponent(term),
      ),
    );
    const alike = [...new Set([...links, ...searches])].map((path) => ({
      name: `${path}`,
      path: `${path}`,
      alike: true,
    }));
    const windows = [
      { size: 'narrow', theme: 'light' },
      { size: 'desk', theme: 'dark' },
    ] as const;
    await lookAt(
      t,
      'hostile',
      [...pages.map((view) => ({ ...view, alike: true })), ...alike],
      async () => ({ page, trouble }),
      {
        ...served,
        windowsOf: () => windows,
        in: ['en'],
      },
    );
  });
});
