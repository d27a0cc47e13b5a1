import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../integration/browser.ts';

/**
 * `node test/pictures/bar.ts`: makes the README's picture of the bar anew, from the demo in a real Chromium. Run it
 * when the bar looks different. It waits up to two minutes for the right calls; if they do not come, run it again.
 */
const picture = fileURLToPath(new URL('bar.png', import.meta.url));
const WAIT_MS = 2 * 60_000;

/** A call of each kind at once, and room for all of them. */
const worthAPicture = `(() => {
  const count = (selector) => document.querySelectorAll('#bar ' + selector).length;
  const [ringing, answered, completed, missed] = ['.ringing', '.answered', '.completed', '.missed-call'].map(count);
  return ringing === 1 && answered >= 1 && answered <= 2 && completed === 0 && missed >= 1 && missed <= 2;
})()`;

const demo = spawn(process.execPath, [fileURLToPath(new URL('../demo.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    viewport: { width: 840, height: 420 },
    colorScheme: 'light',
    locale: 'en-GB',
    bypassCSP: true, // for waitForFunction
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(await address());
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  await page.goto(new URL('/bar', page.url()).href);
  await page.waitForFunction(worthAPicture, undefined, { timeout: WAIT_MS });
  await page.locator('#bar').screenshot({ path: picture, animations: 'disabled' });
  process.stdout.write(`${picture}\n`);
} finally {
  await browser.close();
  const ended = once(demo, 'exit');
  demo.kill('SIGINT');
  await ended;
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
