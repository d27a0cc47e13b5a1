import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { browserImpossible, openBrowser, sizes } from '../tools/browser/browser.ts';
import { serve } from '../tools/service/harness.ts';
import { password, person, withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

const skip = browserImpossible() ?? false;

const path = '/person?customer=q1';

/** Signs in on the page that is shown. */
async function enter(page: Page, name: string): Promise<void> {
  await page.locator('[name=name]').fill(name);
  await page.locator('[name=password]').fill(password);
  await page.locator('button.primary').click();
  // The form is there before the script that fills it.
  await page.locator('#now[aria-busy=false]').waitFor();
}

test('what is typed is there again for the same user when the session has ended elsewhere', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { user } = await person(served, { name: 'Eve', role: 'administrator' });
  await person(served, { name: 'Max', role: 'administrator' });
  const put = await withStore(served, ({ customers }) =>
    customers.replace(user.account, {
      before: [],
      after: [customer({ reference: 'q1', name: 'Ann', numbers: ['+4930901877'] })],
    }),
  );
  assert.equal(put, null);
  const browser = await openBrowser(t);
  const context = await browser.newContext({ viewport: sizes.desk, locale: 'en-GB' });
  const page = await context.newPage();
  const note = page.locator('main textarea[name=text]');
  const open = async (address: string) => {
    await page.goto(served.url + address);
    await page.locator('#now[aria-busy=false]').waitFor();
  };
  /** Another tab signs out; the page comes to sign in by itself, or by what is pressed. */
  async function endSession(press?: () => Promise<unknown>): Promise<void> {
    // The page hears nothing of it before it is asked.
    if (press) await page.route('**/events', (route) => route.abort());
    await context.request.post(`${served.url}/sign-out`, { headers: { origin: served.url } });
    await press?.();
    await until('the page to sign in', () => new URL(page.url()).pathname === '/sign-in');
    await page.waitForLoadState();
    if (press) await page.unroute('**/events');
  }

  await page.goto(`${served.url}/sign-in?${new URLSearchParams({ to: path })}`);
  await enter(page, 'Eve');
  await note.fill('two minutes of typing');
  await endSession();
  await enter(page, 'Eve');
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, path);
  assert.equal(await note.inputValue(), 'two minutes of typing');

  // Sent in the second before the page knows.
  await note.fill('sent too late');
  await endSession(() => page.locator('main form:has(textarea) button').first().click());
  await enter(page, 'Eve');
  assert.equal(await note.inputValue(), 'sent too late');

  // A form that loads a page.
  await open(`${path}&edit=`);
  await page.locator('main [name=name]').fill('Ann Fox');
  await endSession(() => page.locator('main form:has([name=name]) button.primary').click());
  await enter(page, 'Eve');
  assert.equal(await page.locator('main [name=name]').inputValue(), 'Ann Fox');

  // A colleague has changed the same meanwhile.
  await page.locator('main [name=name]').fill('Ann Wolf');
  await endSession();
  const colleague = withStore(served, ({ customers }) =>
    customers.replace(user.account, {
      before: [customer({ reference: 'q1', name: 'Ann', numbers: ['+4930901877'] })],
      after: [customer({ reference: 'q1', name: 'Ann Hall', numbers: ['+4930901877', '+4930901888'] })],
    }),
  );
  assert.equal(await colleague, null);
  await enter(page, 'Eve');
  assert.equal(await page.locator('main [name=name]').inputValue(), 'Ann Hall');
  assert.match((await page.locator('main > .notice').textContent()) ?? '', /has changed.*Ann Wolf$/);

  // Of another user, nothing is shown, nor kept.
  await page.locator('main [name=name]').fill('Secret');
  await endSession();
  await enter(page, 'Max');
  assert.equal(await page.locator('main [name=name]').inputValue(), 'Ann Hall');
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify(sessionStorage)), /Secret/);

  // What is left without sending is not there later.
  await open(path);
  await note.fill('thought better of it');
  await open('/calls');
  await open(path);
  assert.equal(await note.inputValue(), '');
});
