import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../integration/browser.ts';

/**
 * `node test/pictures/make.ts`: makes the README's pictures anew, from the demo in a real Chromium. Run it when the pages
 * look different. It waits some minutes for the right calls; if they do not come, run it again.
 */
const pictures = fileURLToPath(new URL('.', import.meta.url));
const WAIT_MS = 5 * 60_000;

/** A call of each kind at once, and room for all of them. */
const worthAPicture = `(() => {
  const count = (selector) => document.querySelectorAll('#bar ' + selector).length;
  const [ringing, answered, missed] = ['.ringing', '.answered', '.missed-call'].map(count);
  return ringing === 1 && count('.ringing .chip') === 1 && answered >= 1 && answered <= 2 && missed >= 1;
})()`;

const demo = spawn(process.execPath, [fileURLToPath(new URL('../demo.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 760 },
    colorScheme: 'light',
    locale: 'en-GB',
    bypassCSP: true, // for waitForFunction
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(await address());
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  const bar = await context.newPage();
  await bar.setViewportSize({ width: 840, height: 420 });
  await bar.goto(new URL('/bar', page.url()).href);
  await bar.waitForFunction(worthAPicture, undefined, { timeout: WAIT_MS });
  await bar.locator('#bar').screenshot({ path: `${pictures}bar.png`, animations: 'disabled' });
  await page.reload();
  await page.locator('.link.live').waitFor();
  await page.screenshot({ path: `${pictures}dashboard.png`, animations: 'disabled' });
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
