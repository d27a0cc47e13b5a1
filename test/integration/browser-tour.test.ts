import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  openBrowser,
  signedIn,
  signIn,
  sizes,
  watch,
} from '../tools/browser/browser.ts';
import { layoutTrouble } from '../tools/browser/layout-trouble.ts';
import { event, serve } from '../tools/service/harness.ts';
import { password, person } from '../tools/service/people.ts';

const skip = browserImpossible() ?? false;

async function open(t: TestContext, path: string) {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const window = await signedIn(browser, served);
  await window.page.goto(served.url + path);
  return { ...served, browser, ...window };
}

test('a one-time link that is pasted where the sign-in page is open signs in', { skip }, async (t) => {
  const served = await serve(t);
  const { link } = await person(served, { name: 'Jana' });
  const { page, trouble } = await watch(await (await openBrowser(t)).newContext());
  await page.goto(`${served.url}/sign-in`);
  await page.goto(link); // the same document: only what is after the # changes
  await page.waitForURL('**/calls');
  assert.deepEqual(trouble, []);
});

test('the first link asks for a password, which then signs in; a second factor is asked for from then on', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page, trouble } = await signIn(browser, served, { viewport: sizes.narrow, colorScheme: 'dark' });
  const looks = async (name: string) => {
    await page.waitForLoadState(); // what was waited for may be there before the rest
    await keepPicture(page, `${name}-narrow-dark`);
    assert.deepEqual(await layoutTrouble(page), [], name);
    assert.deepEqual(await accessibilityTrouble(page), [], name);
  };
  await page.goto(`${served.url}/security`);
  await page.getByRole('link', { name: 'Second factor' }).click();
  await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
  const key = (await page.locator('#secret').innerText()).replaceAll(' ', '');
  const app = new TOTP({ secret: Secret.fromBase32(key) });
  await page.getByLabel('Code', { exact: true }).fill(app.generate());
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('Recovery codes').first().waitFor();
  await looks('recovery-codes');

  await page.locator('.me summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await looks('sign-in');
  await page.getByLabel('Name').fill('ADMINISTRATOR');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Wrong name or password').waitFor();
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code').fill('000000');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Wrong code').waitFor();
  await looks('sign-in-code');
  // Each code counts once, so this is the next one, which is right too, even if 30 seconds are over meanwhile.
  await page.getByLabel('Code').fill(app.generate({ timestamp: Date.now() + 30_000 }));
  await page.keyboard.press('Enter');
  await page.waitForURL('**/calls');
  await page.goto(`${served.url}/security`);
  await page
    .getByRole('region', { name: 'Signed-in browsers' })
    .getByText('Chrome on Linux')
    .first()
    .waitFor();
  await page.getByText('this browser').waitFor();
  assert.deepEqual(
    trouble.filter((line) => !line.includes('401')),
    [],
  );
});

/** Presses Tab until the element with this name has the focus; fails if it cannot be reached. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const is = (text: string) => (typeof name === 'string' ? text === name : name.test(text));
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const text = String(
      await page.evaluate(`(() => {
        const at = document.activeElement;
        return (at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent).trim();
      })()`),
    );
    passed.push(text);
    if (is(text)) return;
  }
  assert.fail(`no way by keyboard to ${name}; passed ${passed.join(' | ')}`);
}

/** Presses Enter on what leads to another page, and waits for that. */
async function enter(page: Page): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await loaded;
}

test('by keyboard: a customer, their call, a note, an integration, and signing out', {
  skip,
}, async (t) => {
  const { page, a, post, trouble } = await open(t, '/calls');
  const { keyboard } = page;
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await page.locator('#main:focus').waitFor(); // past the navigation at once

  await tabTo(page, 'Customers');
  await enter(page);
  await tabTo(page, 'Add');
  await enter(page);
  await page.waitForURL('**/customers/new');
  await page.locator('input:focus').waitFor(); // its first field takes what is typed, as soon as it is there
  await keyboard.type('Grace Hopper');
  await tabTo(page, 'Segment');
  await keyboard.type('V');
  await tabTo(page, 'Add number');
  await keyboard.type('040 66969199');
  await tabTo(page, 'Save');
  await enter(page);
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();

  for (const status of ['ringing', 'completed'])
    await post(a.token, event({ from: '+494066969199', status }));
  await page.locator('.later').getByText('Grace Hopper').waitFor();
  await tabTo(page, 'I’ll call: Grace Hopper');
  await keyboard.press('Enter');
  const done = page.locator('.later').getByRole('button', { name: 'Done: Grace Hopper' });
  await done.and(page.locator(':focus')).press('Enter');
  await done.waitFor({ state: 'detached' });
  await tabTo(page, 'Note for colleagues');
  await keyboard.type('Wants the minutes');
  await tabTo(page, 'Save');
  await keyboard.press('Enter');
  await page.locator('#story p', { hasText: 'Wants the minutes' }).waitFor();
  await page.locator('textarea:focus').waitFor();

  await tabTo(page, 'Settings');
  await enter(page);
  await tabTo(page, 'Integrations');
  await enter(page);
  await tabTo(page, /^PBX 1/);
  await keyboard.press('Enter');
  await page.getByText('Token', { exact: true }).filter({ visible: true }).first().waitFor();
  await tabTo(page, 'Copy');
  await page.evaluate('later = []; setTimeout = (work) => later.push(work)'); // after two seconds it says Copy again
  for (const times of [1, 2]) {
    await keyboard.press('Enter');
    await page.waitForFunction(`later.length >= ${times}`);
    await page.getByRole('button', { name: /Copied|Press Ctrl/ }).waitFor();
  }
  await page.evaluate('later.forEach((work) => work())');
  await page.getByRole('button', { name: /Copied|Press Ctrl/ }).waitFor({ state: 'detached' });
  assert.ok(String(await page.evaluate('getSelection().toString()')).includes(a.token));
  await tabTo(page, 'New token');
  await keyboard.press('Enter');
  await tabTo(page, 'New token');
  await enter(page);
  await page.getByText('Token', { exact: true }).first().waitFor({ state: 'attached' });
  assert.ok(!(await page.content()).includes(a.token), 'it has another token');

  await tabTo(page, /Administrator, Alpha$/);
  await keyboard.press('Enter');
  await tabTo(page, 'Sign out');
  await enter(page);
  await page.waitForURL('**/sign-in');
  assert.deepEqual(trouble, []);
});

test('an import has a preview and reads the encoding of spreadsheets', { skip }, async (t) => {
  const { page, url, a, ask, trouble } = await open(t, '/customers/import');
  const table =
    'reference;name;segment;numbers\n7;Bäckerei Weiß;VIP;040 66969100\n8;Böse;Nobody;040 66969101\n';
  const file = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(table, 'latin1') };
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('1 new, 0 changed, 0 unchanged.').waitFor();
  await page.getByText('Segment "Nobody" does not exist. Add it first. Line 3').waitFor();
  const customers = async () => (await ask(`${url}/admin/customers`, { token: a.admin })).text;
  assert.doesNotMatch(await customers(), /Bäckerei/, 'nothing is taken yet');
  await page.getByRole('button', { name: 'Import 1 customer' }).click();
  await page.getByText('1 customer imported.').waitFor();
  assert.match(await customers(), /^7,Bäckerei Weiß,VIP,\+494066969100/m);
  assert.deepEqual(trouble, []);
});

test('the first call is waited for and shown as it comes', { skip }, async (t) => {
  const { page, a, post, trouble } = await open(t, '/integrations');
  await page.locator('main').getByText('PBX 1').click();
  await page.getByText('Make a call. It appears here.').filter({ visible: true }).first().waitFor();
  await page.locator('#now').getByText('No phone system has connected yet').waitFor();
  assert.equal(await page.locator('main time').count(), 0);
  await post(a.token, event({ from: '+4930901820' }));
  await page.locator('main time').first().waitFor();
  await page.locator('#now').getByText("Alpha's customer").waitFor();
  assert.deepEqual(trouble, []);
});
