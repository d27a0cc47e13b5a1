import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { cannotInstall, installPackages } from '../debian.ts';
import type { Served } from '../service/harness.ts';
import { form, password, withStore } from '../service/people.ts';
import { longestWaitMs } from '../until.ts';

/** The same engine twice, by its package: without windows it takes half the time; older releases have only the other. */
const chromiums = ['chromium-headless-shell', 'chromium'].map((name) => ({ name, path: `/usr/bin/${name}` }));

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** With PBX_LAB_SCREENS=1, screenshots are kept here for people to look at. */
const screens = fileURLToPath(new URL('../../../dist/screens/', import.meta.url));

/** Why no page can be opened here, in one line; undefined if it can. */
export function browserImpossible(): string | undefined {
  const why = chromiums.some(({ path }) => existsSync(path)) ? undefined : cannotInstall();
  return why && `no Chromium on this machine: ${why}`;
}

/** For browsers: the same font on every machine, in which all pages are looked at. */
export async function withFont(): Promise<NodeJS.ProcessEnv> {
  const dejaVu = { '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf': 'fonts-dejavu-core' };
  if (cannotInstall() === undefined) await installPackages(dejaVu);
  return { ...process.env, FONTCONFIG_FILE: fileURLToPath(new URL('fonts.conf', import.meta.url)) };
}

/** The path of the first Chromium that is there or can be installed. */
export async function installBrowser(): Promise<string> {
  const failures: unknown[] = [];
  for (const { name, path } of chromiums) {
    if (cannotInstall() === undefined)
      await installPackages({ [path]: name }).catch((error) => failures.push(error));
    if (existsSync(path)) return path;
  }
  throw new AggregateError(failures, 'no Chromium');
}

/** The windows that pages are looked at in. */
export const sizes = {
  /** A telephone of 2012. */
  narrow: { width: 320, height: 640 },
  phone: { width: 360, height: 740 },
  tablet: { width: 768, height: 1024 },
  desk: { width: 1280, height: 800 },
  /** The bar is a column. */
  wide: { width: 1920, height: 1080 },
  wall: { width: 2560, height: 1440 },
} as const;

export type Theme = 'light' | 'dark';

export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await installBrowser(),
    env: await withFont(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    timeout: longestWaitMs,
  });
  return browser.on('context', (context) => context.setDefaultTimeout(longestWaitMs));
}

/** One browser for all tests of a process: to start it takes longer than most of them. */
let running: Promise<Browser> | undefined;
let closing: NodeJS.Timeout | undefined;
/** When no test has used the browser for this long, it is closed, ms. */
const unusedMs = 1_000;

/** A real browser, whose windows are closed after the test. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  clearTimeout(closing);
  running ??= launchBrowser();
  const browser = await running;
  t.after(async () => {
    for (const context of browser.contexts()) await context.close();
    closing = setTimeout(() => {
      running = undefined;
      void browser.close();
    }, unusedMs);
  });
  return browser;
}

export type Watched = {
  readonly page: Page;
  /** What went wrong on the page so far: refused by the Content-Security-Policy, thrown, or answered by an error. */
  readonly trouble: string[];
};

/** A page whose every trouble is written down; `dialog` says that a script of strangers ran. */
export async function watch(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => trouble.push(`thrown: ${error.message}`));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('response', (response) => {
    if (response.status() >= 400) trouble.push(`${response.status()} ${response.url()}`);
  });
  return { page, trouble };
}

/** Signs in with a link in a new window, as a person does: the first time, the pages ask for a password. */
export async function signIn(
  browser: Browser,
  { service }: { readonly service: { link(): Promise<string> } },
  options: BrowserContextOptions = { viewport: sizes.desk, locale: 'en-GB' },
): Promise<Watched & { context: BrowserContext }> {
  const context = await browser.newContext(options);
  const watched = await watch(context);
  const { page } = watched;
  await page.goto(await service.link());
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  if (new URL(page.url()).pathname === '/welcome') {
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/integrations');
  }
  return { ...watched, context };
}

/** A new window that is signed in as the first account's administrator, or by `link`, and has opened no page yet. */
export async function signedIn(
  browser: Browser,
  { service, ask, url, stateDir }: Pick<Served, 'service' | 'ask' | 'url' | 'stateDir'>,
  { link, ...options }: BrowserContextOptions & { link?: string } = {},
): Promise<Watched & { context: BrowserContext }> {
  const [, given = ''] = (link ?? (await service.link())).split('#');
  const { headers, status } = await ask(`${url}/sign-in/link`, form(url, { link: given }));
  assert.equal(status, 204, 'the link is valid');
  await withStore({ stateDir }, async ({ users }) => {
    for (const { id, password } of await users.list(1))
      if (password === null) await users.change(id, { password: 'none' });
  });
  const context = await browser.newContext({ viewport: sizes.desk, locale: 'en-GB', ...options });
  const cookies = [headers['set-cookie']].flat().map((cookie) => /^([^=]+)=([^;]*)/.exec(String(cookie)));
  await context.addCookies(
    cookies.map((found) => ({ url, name: found?.[1] ?? '', value: found?.[2] ?? '' })),
  );
  return { context, ...(await watch(context)) };
}

/**
 * What axe-core finds wrong with a page for people who do not see, hear or point as others do; a line for each. `contrast`
 * looks at that alone: all that another theme changes, and half of the work.
 */
export async function accessibilityTrouble(page: Page, what: 'all' | 'contrast' = 'all'): Promise<string[]> {
  // A card that is still fading in has too little contrast, however long a busy machine takes for that.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
    .map(({ finished }) => finished.catch(() => {})))`);
  // Over the debugger's protocol: the page's own policy lets no such script in.
  if (await page.evaluate(`!('axe' in window)`)) await page.evaluate(readFileSync(axe, 'utf8'));
  return page.evaluate(async (what) => {
    // The bar becomes lower when a call in it ends, or has rung for minutes: also while axe looks.
    const bar = document.querySelector('#now');
    const line = bar?.querySelector('.mine') ?? null;
    const topOf = (cover: Element | null) => cover?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
    const before = new Map([bar, line].map((cover) => [cover, topOf(cover)]));
    // biome-ignore lint/suspicious/noExplicitAny: axe came as text
    const { violations } = await (globalThis as any).axe.run(
      // A long table's rows are all alike.
      { exclude: ['tbody tr:nth-child(n + 20)'] },
      {
        ...(what === 'contrast'
          ? { runOnly: ['color-contrast'] }
          : { rules: { 'target-size': { enabled: true } } }),
        // Fetches style and media again, for rules that are switched off or about media that play by themselves.
        preload: false,
        // Passed checks are most of the results, and to describe their elements most of the work.
        resultTypes: ['violations'],
      },
    );
    const spacing = 24;
    /**
     * The bar lies over a part of it, or of what is next to it, which scrolls out from there. So does the bar's line over
     * what is in the bar, where it is sticky.
     */
    const isCovered = (element: Element | null) => {
      const isInBar = bar?.contains(element) ?? false;
      const cover = isInBar ? line : bar;
      if (element === null || !cover || cover.contains(element)) return false;
      if (isInBar && getComputedStyle(cover).position !== 'sticky') return false;
      const [at, over] = [element.getBoundingClientRect(), cover.getBoundingClientRect()];
      const top = Math.min(over.top, before.get(cover) ?? over.top);
      return at.bottom + spacing > top && at.right > over.left && at.left < over.right;
    };
    return violations.flatMap(
      ({ id, help, nodes }: { id: string; help: string; nodes: { html: string; target: string[] }[] }) =>
        nodes
          .filter(({ target: [at] }) => id !== 'target-size' || !isCovered(document.querySelector(at ?? '')))
          .map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}`),
    );
  }, what);
}

/** Keeps a picture of the page in dist/screens, if pictures are wanted. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.PBX_LAB_SCREENS !== '1') return;
  mkdirSync(screens, { recursive: true });
  await page.screenshot({ path: `${screens}${name}.png`, fullPage: true });
}
