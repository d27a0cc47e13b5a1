import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  layoutTrouble,
  openBrowser,
  signIn,
  sizes,
} from './browser.ts';
import { officeWeeks } from './office.ts';
import { serve } from './service-harness.ts';

const skip = browserImpossible() ?? false;
const pages = {
  activity: '/activity',
  missed: '/activity?outcome=missed&number=030123',
  call: '/activity/call?id=pbx-now.2',
  reports: '/reports',
  month: '/reports?from=2026-10-20&to=2026-11-20',
  history: '/history',
};

test('activity, reports and history are seen, and used, by everybody', { skip }, async (t) => {
  const served = await serve(t);
  await officeWeeks(served, Date.now());
  const browser = await openBrowser(t);
  await (await signIn(browser, served)).context.close();
  for (const size of Object.keys(sizes) as (keyof typeof sizes)[])
    for (const theme of ['light', 'dark'] as const) {
      const { page, context, trouble } = await signIn(browser, served, { size, theme });
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(served.url + path);
        await keepPicture(page, `${name}-${size}-${theme}`);
        assert.deepEqual(await layoutTrouble(page), [], `${path} ${size}`);
        // What is on a page depends on the size alone, its contrasts on the theme alone.
        if ((size === 'desk') === (theme === 'light'))
          assert.deepEqual(await accessibilityTrouble(page), [], `${path} ${size} ${theme}`);
      }
      assert.deepEqual(trouble, []);
      await context.close();
    }
});
