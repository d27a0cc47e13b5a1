import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../browser/browser.ts';
import { customers } from '../office/customers.ts';

/**
 * `node test/tools/pictures/make.ts`: retakes the pictures of the ten main views, from the demo in a real Chromium, in about
 * a minute. It needs `npm ci`, and Chromium, which it installs where it can: as root on Debian or Ubuntu. Run it when the
 * pages look different.
 */
const folder = fileURLToPath(new URL('../../pictures/', import.meta.url));
const desk = { viewport: { width: 1366, height: 820 } };
const tablet = { viewport: { width: 820, height: 1100 }, locale: 'de-DE' };
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const person = `/person?customer=${customers.find(({ name }) => name === 'Familie Özdemir')?.reference}`;

/** Taken while a call rings and Anna, who is signed in, talks. */
const lively: readonly (readonly [name: string, path: string, how: BrowserContextOptions])[] = [
  ['calls', '/calls', desk],
  ['calls-dark-de', '/calls', { ...tablet, colorScheme: 'dark' }],
  ['phone-calls', '/calls', phone],
];
const views: typeof lively = [
  ...lively,
  ['call-back', '/call-back', desk],
  ['person', person, desk],
  ['person-edit', `${person}&edit`, desk],
  ['phone-person', person, phone],
  ['reports', '/reports', { viewport: { width: 1366, height: 1290 } }],
  ['settings-users', '/users', desk],
  ['settings-integrations-de', '/integrations', tablet],
];
const WAIT_MS = 3 * 60_000;
const isLively = `document.querySelector('#now .ringing .chip') !== null && document.querySelector('#now .mine') !== null`;

// A time zone in which it is two o'clock in the afternoon: an office at work, whenever this runs.
const ahead = 14 - new Date().getUTCHours();
const zone = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
const demo = spawn(process.execPath, [fileURLToPath(new URL('../demo.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, TZ: zone },
});
const browser = await launchBrowser();
try {
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(await address());
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  const storageState = await first.storageState();
  const opened: [name: string, page: Page][] = [];
  for (const [name, path, how] of views) {
    const context = await browser.newContext({
      locale: 'en-GB',
      colorScheme: 'light',
      reducedMotion: 'reduce',
      bypassCSP: true,
      storageState,
      ...how,
    });
    const view = await context.newPage();
    await view.goto(new URL(path, page.url()).href);
    await view.locator('#now[aria-busy=false]').waitFor();
    opened.push([name, view]);
  }
  for (const [name, view] of opened) {
    if (lively.some(([one]) => one === name)) {
      await view.waitForFunction(isLively, undefined, { timeout: WAIT_MS });
      await view.reload(); // the list with these calls in it
      await view.waitForFunction(isLively, undefined, { timeout: WAIT_MS });
    }
    await keep(name, view);
  }
} finally {
  await browser.close();
  const ended = once(demo, 'exit');
  demo.kill('SIGINT');
  await ended;
}

/** As WebP, which is a third of a PNG; Playwright itself writes PNG and JPEG only. */
async function keep(name: string, view: Page): Promise<void> {
  const session = await view.context().newCDPSession(view);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  writeFileSync(`${folder}${name}.webp`, Buffer.from(data, 'base64'));
}

/** The one-time address that the demo prints. */
async function address(): Promise<string> {
  for await (const line of createInterface(demo.stdout)) {
    const [, url] = /^Open (\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    demo.stdout.resume();
    return url;
  }
  throw new Error('the demo ended without an address');
}
