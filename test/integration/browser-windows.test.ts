import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { languages } from '../../src/service/words/words.ts';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  openBrowser,
  signedIn,
  type Theme,
  type Watched,
  watch,
} from '../tools/browser/browser.ts';
import { layoutTrouble } from '../tools/browser/layout-trouble.ts';
import { colleagues } from '../tools/office/customers.ts';
import { givePast } from '../tools/office/past.ts';
import { addBridgeReport, addWebhook, everyPage } from '../tools/service/every-page.ts';
import { event, type Served, serve } from '../tools/service/harness.ts';
import { giveHostile } from '../tools/service/hostile.ts';
import { person, withStore } from '../tools/service/people.ts';

/**
 * Every page and its states in windows of all widths: the narrowest in all languages; of the others a quarter in one language
 * and the light theme, a quarter in the next language and the dark one; the next page in other widths and languages. Narrow
 * windows are touched. Once a page is
 * checked for accessibility, once more for the contrast of the other theme, and once as it is printed. PBX_LAB_WINDOWS, a
 * pattern such as `.` or `fr-390-dark|nl-2560`, has them looked at in these windows instead; all of them take half an hour.
 * PBX_LAB_SCREENS=1 keeps pictures in dist/screens.
 */
const wanted = process.env.PBX_LAB_WINDOWS ? new RegExp(process.env.PBX_LAB_WINDOWS) : undefined;
const skip = browserImpossible() ?? false;

const tags = [...languages.keys()];
/** CSS px. A window at 200 % zoom is laid out as one of half its width: 512, 683 and 720 are common screens so. */
const widths = [320, 390, 512, 683, 720, 768, 834, 1024, 1280, 1366, 1440, 1920, 2560] as const;
const widestTouched = 834;
const themes: readonly Theme[] = ['light', 'dark'];

type Window = { readonly width: number; readonly theme: Theme };
type WindowsOf = (language: string, view: number) => readonly Window[];

const inTurn: WindowsOf = (language, index) => {
  if (wanted)
    return widths
      .flatMap((width) => themes.map((theme) => ({ width, theme })))
      .filter(({ width, theme }) => wanted.test(`${language}-${width}-${theme}`));
  const nth = (tags.indexOf(language) + index) % tags.length;
  const theme = themes[nth];
  return widths
    .filter((width, at) => width === widths[0] || (theme !== undefined && (at + index) % 4 === 2 * nth))
    .map((width) => ({ width, theme: theme ?? 'light' }));
};

if (wanted && !tags.some((language) => inTurn(language, 0).length > 0))
  throw new Error(
    `PBX_LAB_WINDOWS=${wanted.source} is in no window's name: they are named like de-1280-dark`,
  );

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
  ['/customers/new', '/person/save', { name: '', number: 'hello', reference: '10001' }],
  ['/segments?add', '/segments', { name: '', priority: 'many' }],
  [
    '/customers/import',
    '/customers/import',
    { table: 'Firma;Telefon;Gruppe;Telefon Filiale\nBlitz;040 66969111;Gold;30901825\n' },
  ],
  ['/users?invite&add', '/users', { name: 'Anna' }],
  ['/integrations?add', '/integrations', { name: '' }],
  ['/users?extension=1009', '/extensions', { extension: '' }],
  ['/webhooks?add', '/webhooks', { url: 'nowhere' }],
  ['/opening-hours', '/opening-hours', { closed: 'some day' }],
  ['/account', '/account/settings', { account: '', crm: 'javascript:', within: '0' }],
  ['/security', '/account/password', { current: 'wrong', password: 'short' }],
  ['/security/second-factor', '/security/second-factor', { current: 'wrong', code: '000000' }],
].map(([path, action, fields]) => ({
  name: `wrong${String(action).replaceAll('/', '-')}`,
  path: String(path),
  form: [action, fields] as View['form'] & {},
  refused: true,
}));

/** With an open menu. */
const withMenu = (menu: string): View => ({
  name: `menu ${menu}`,
  path: '/calls',
  act: (page) => page.evaluate(`document.querySelector('${menu}').open = true`),
});

const states: readonly View[] = [
  { name: 'no-page', path: '/nothing/here', refused: true },
  { name: 'no-user', path: '/users/nobody', refused: true },
  {
    name: 'user-added',
    path: '/users?invite&add',
    form: ['/users', { name: 'Wilhelmina van der Berg {language}' }],
  },
  ...['.filters .menu:last-of-type', '.me'].map(withMenu),
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
        const pointer = await page.context().newCDPSession(page);
        for (const [nth, { width, theme }] of windows.entries()) {
          await pointer.send('Emulation.setTouchEmulationEnabled', { enabled: width <= widestTouched });
          await page.setViewportSize({ width, height: width < 640 ? 740 : 900 });
          await page.emulateMedia({ colorScheme: theme });
          await keepPicture(
            page,
            `${language}-${width}-${theme}/${office}-${view.name.replace(/\W+/g, '_')}`,
          );
          seen.push(...(await layoutTrouble(page)).map((line) => `${width}: ${line}`));
          checked += 1;
          if (nth === 1 && !view.alike)
            seen.push(...(await accessibilityTrouble(page, theme === 'light' ? 'all' : 'contrast')));
        }
        if (!view.alike && windows.length > 1 && windows[0]?.theme === 'light')
          seen.push(...(await printTrouble(page)));
        await pointer.detach();
        found.push(
          ...[...new Set(seen), ...trouble.splice(0)].map(
            (line) => `${office} ${view.name} ${language}: ${line}`,
          ),
        );
      }
    }),
  );
  t.diagnostic(`${office}: ${views.length} views in ${checked} windows`);
  assert.deepEqual(found, []);
}

/** A4 without its margins, CSS px. */
const paper = { width: 718, height: 1047 };

/** What is wrong with a page on paper: what only a screen needs, is paler than grey, or stands out of the paper. */
async function printTrouble(page: Page): Promise<string[]> {
  await page.setViewportSize(paper);
  await page.emulateMedia({ media: 'print' });
  const found = await page.evaluate(() => {
    const onScreen = [...document.querySelectorAll('button, .button, .top, #now, .skip')].filter((element) =>
      element.checkVisibility(),
    );
    // Paper is white, whatever is behind a word on the screen.
    const isPale = (element: Element) => {
      const { color, printColorAdjust } = getComputedStyle(element);
      const light = (color.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, one) => sum + Number(one) / 3, 0);
      return printColorAdjust === 'economy' && light > 150;
    };
    const pale = [...document.querySelectorAll('main *')].filter(
      (element) =>
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim()) &&
        element.checkVisibility() &&
        isPale(element),
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...pale.map((element) => `pale on paper: ${element.outerHTML.slice(0, 80)}`),
      ...onScreen.map((element) => `printed: ${element.outerHTML.slice(0, 80)}`),
      ...(scrollWidth > clientWidth ? ['wider than the paper'] : []),
    ];
  });
  await page.emulateMedia({ media: null });
  return found;
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
        const sent = document.querySelector(
          `form[method=post][action="${action}"]`,
        ) as HTMLFormElement | null;
        if (!sent) throw new Error(`no form for ${action} on ${location}`);
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
  if ((await page.locator('#now').count()) > 0)
    await page.locator('#now[aria-busy=false], .lost').first().waitFor({ state: 'attached' });
  await page.evaluate(
    `for (const part of document.querySelectorAll('main details:not(.menu)')) part.open = true`,
  );
  await act?.(page);
  const files = `performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0)`;
  return gzipSync(await page.content()).length + Number(await page.evaluate(files));
}

/** For who runs the service: a browser asks for its token by itself. */
const fleet: View = { name: 'fleet', path: '/admin/fleet' };
const asOperator = ({ stateDir }: Served) => ({
  httpCredentials: { username: '', password: createKeys(serverSecret(stateDir)).operatorToken(0) },
});

/** A window in a language, with these cookies. */
const windowsIn =
  (browser: Browser, cookies: Cookies, options?: BrowserContextOptions) => async (locale: string) => {
    const context = await browser.newContext({ locale, reducedMotion: 'reduce', ...options });
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
    const views = [...pages, ...wrongForms, ...states, fleet];
    await lookAt(t, 'office', views, windowsIn(browser, await context.cookies(), asOperator(served)), served);
  });

  test('an empty account, and who is not signed in', async (t) => {
    const served = await serve(t);
    const browser = await openBrowser(t);
    await withStore(served, async (store) => {
      await store.customers.remove(1, '1');
      await store.customers.removeSegment(1, 'VIP');
    });
    const pages = emptyPages.map((name) => ({ name: name || 'dashboard', path: `/${name}` }));
    const views = [...pages, withMenu('.now .menu')];
    const { context } = await signedIn(browser, served);
    await lookAt(t, 'empty', views, windowsIn(browser, await context.cookies()), served);
    await lookAt(t, 'plain', plainPages, windowsIn(browser, []), served);
  });

  test('untrusted texts, which run nothing', async (t) => {
    const served = await serve(t);
    const browser = await openBrowser(t);
    const { page, trouble } = await signedIn(browser, served, asOperator(served));
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
    const links = [...(await linksOf('/calls', '/person')), ...requests];
    const searches = ['<script>', '"><img src=x onerror=alert(1)>'].flatMap((term) =>
      ['/calls?q=', '/calls?number=', '/reports?of=answered:', '/api-log?in=request&term='].map(
        (search) => search + encodeURIComponent(term),
      ),
    );
    const alike = [...new Set([...links, ...searches])].map((path) => ({
      name: `${path}`.slice(0, 100),
      path: `${path}`,
      alike: true,
    }));
    const windows = [
      { width: 320, theme: 'light' },
      { width: 1280, theme: 'dark' },
    ] as const;
    await lookAt(
      t,
      'hostile',
      [...[...pages, fleet].map((view) => ({ ...view, alike: true })), ...alike],
      async () => ({ page, trouble }),
      {
        ...served,
        windowsOf: () => windows,
        in: ['en'],
      },
    );
  });
});
