import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages } from '../../src/service/pages/words/words.ts';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  layoutTrouble,
  openBrowser,
  signIn,
  sizes,
} from './browser.ts';
import { event, serve } from './service-harness.ts';

const skip = browserImpossible() ?? false;

test('pages are accessible and fit a phone in every language of the browser', { skip }, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  const browser = await openBrowser(t);
  const { context: first } = await signIn(browser, served);
  const cookies = await first.cookies();
  await post(a.token, event({ status: 'completed' }));
  await post(a.token, event({ status: 'ringing' }));
  for (const [language, { layout }] of languages) {
    const context = await browser.newContext({ locale: language, viewport: sizes.narrow });
    await context.addCookies(cookies);
    const page = await context.newPage();
    for (const path of ['/start', '/account', '/api-log', '/customers/import', '/users', '/nothing']) {
      await page.goto(`${url}${path}`);
      assert.equal(await page.locator('html').getAttribute('lang'), language);
      assert.deepEqual(await layoutTrouble(page), [], `${language} ${path}`);
      assert.deepEqual(await accessibilityTrouble(page), [], `${language} ${path}`);
      await keepPicture(page, `${language}-${path.slice(1).replace('/', '-')}`);
    }
    await page.goto(url);
    await page.getByRole('link', { name: layout.dashboard, exact: true }).first().waitFor();
    await context.close();
  }
});

test('the first call is waited for and shown as it comes', { skip }, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  const { page, trouble } = await signIn(await openBrowser(t), served);
  await page.goto(`${url}/start`);
  await page.getByText('Waiting for the first call').waitFor();
  await page
    .locator('.bar')
    .getByText(/No active calls|No phone system/)
    .first()
    .waitFor();
  await post(a.token, event({ from: '+4930901820' }));
  await page.getByText('The phone system is connected.').waitFor();
  await page.getByText('200 Accepted').waitFor();
  assert.deepEqual(trouble, []);
});
