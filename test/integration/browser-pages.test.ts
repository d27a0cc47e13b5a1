import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BrowserContext } from 'playwright-core';
import type { Store } from '../../src/service/store/store.ts';
import { givePast } from '../office/past.ts';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  openBrowser,
  signIn,
  type sizes,
  type Theme,
} from './browser.ts';
import { addWebhook, everyPage } from './every-page.ts';
import { giveHostile } from './hostile.ts';
import { layoutTrouble } from './layout-trouble.ts';
import { withStore } from './people.ts';
import { serve } from './service-harness.ts';

const skip = browserImpossible() ?? false;

/** What an account can hold. */
const offices: Record<string, (store: Store, account: number, integration: number) => Promise<void>> = {
  office: (store, account, integration) =>
    givePast(store, { account, integration, now: Date.now(), days: 14, timeZone: 'UTC' }),
  hostile: giveHostile,
};

type Window = { readonly size: keyof typeof sizes; readonly theme: Theme; readonly accessibility: boolean };
/**
 * Every page is checked for accessibility once in each theme, with all that it shows of an office and of hostile data.
 * Pages of an office are in more windows in browser-windows.test.ts.
 */
const windows: Record<string, readonly Window[]> = {
  office: [{ size: 'narrow', theme: 'light', accessibility: true }],
  hostile: [
    { size: 'desk', theme: 'light', accessibility: false },
    { size: 'narrow', theme: 'dark', accessibility: true },
  ],
};

describe('every page, whatever an account holds, without an error, and none over 100 kB', { skip }, () => {
  for (const [office, fill] of Object.entries(offices))
    test(office, async (t) => {
      const served = await serve(t);
      await served.service.link(); // makes the first administrator
      const pages = await withStore(served, async (store) => {
        await fill(store, 1, 1);
        await addWebhook(store, 1);
        return everyPage(store, 1);
      });
      const browser = await openBrowser(t);
      for (const { size, theme, accessibility } of windows[office] ?? []) {
        const { page, context, trouble } = await signIn(browser, served, { size, theme });
        const loadedBytes = countLoaded(context);
        for (const { name, path } of pages) {
          const where = `${office} ${name} ${size} ${theme}`;
          const answer = await page.goto(served.url + path);
          assert.equal(answer?.status(), 200, where);
          await page.locator('.link.live').waitFor({ state: 'attached' });
          const bytes = await loadedBytes();
          assert.ok(bytes > 1000 && bytes < 100_000, `${where}: ${bytes} bytes`);
          await keepPicture(page, `${office}/${name}-${size}-${theme}`);
          assert.deepEqual(await layoutTrouble(page), [], where);
          if (accessibility) assert.deepEqual(await accessibilityTrouble(page), [], where);
          assert.deepEqual(trouble, [], where);
        }
        await context.close();
      }
    });
});

/** The bytes, compressed, of all that was loaded since it was asked last. */
function countLoaded(context: BrowserContext): () => Promise<number> {
  let loaded: Promise<number>[] = [];
  context.on('response', (response) => {
    if (!response.headers()['content-type']?.startsWith('text/event-stream'))
      loaded.push(
        response.body().then(
          (body) => gzipSync(body).length,
          () => 0,
        ),
      );
  });
  return async () => {
    const sizes = await Promise.all(loaded);
    loaded = [];
    return sizes.reduce((sum, each) => sum + each, 0);
  };
}
