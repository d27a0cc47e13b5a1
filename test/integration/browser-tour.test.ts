import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserImpossible, openBrowser, signIn } from './browser.ts';
import { event, serve } from './service-harness.ts';

const skip = browserImpossible() ?? false;

async function open(t: TestContext) {
  const served = await serve(t);
  const browser = await openBrowser(t);
  return { ...served, browser, ...(await signIn(browser, served)) };
}

/** Presses Tab until what has the focus is called so; a page that lets nobody there fails. */
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

test('by keyboard: a segment, a customer, their call, an integration, a colleague, and signing out', {
  skip,
}, async (t) => {
  const { page, a, post, trouble } = await open(t);
  const { keyboard } = page;
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await page.locator('#content:focus').waitFor(); // past the navigation at once

  await tabTo(page, 'Customers');
  await enter(page);
  await tabTo(page, 'Segments');
  await enter(page);
  await page.waitForURL('**/customers/segments');
  await tabTo(page, 'Name');
  await keyboard.type('Gold');
  await keyboard.press('Tab');
  await keyboard.type('20');
  await enter(page);
  await page.getByText('Saved.').waitFor();

  await tabTo(page, 'Customers');
  await enter(page);
  await tabTo(page, 'Add customer');
  await enter(page);
  await page.waitForURL('**/customers/new');
  await page.locator('input:focus').waitFor(); // its first field takes what is typed, as soon as it is there
  await keyboard.type('Grace Hopper');
  await keyboard.press('Tab');
  await keyboard.type('G');
  await keyboard.press('Tab');
  await keyboard.type('040 66969199');
  await tabTo(page, 'Save');
  await enter(page);
  await page.getByText('Saved. New calls show').waitFor();

  for (const status of ['ringing', 'completed'])
    await post(a.token, event({ from: '+494066969199', status }));
  await page.getByText('To call back: 1').waitFor();
  await tabTo(page, 'Show calls');
  await keyboard.press('Enter');
  await tabTo(page, 'Done: Grace Hopper');
  await keyboard.press('Enter');
  await page.locator('.missed-call').waitFor({ state: 'detached' });

  await tabTo(page, 'Integrations');
  await enter(page);
  await tabTo(page, 'PBX 1');
  await enter(page);
  await page.waitForURL('**/integrations/*');
  await tabTo(page, 'Copy');
  await page.evaluate('later = []; setTimeout = (work) => later.push(work)'); // after two seconds it says Copy again
  for (const times of [1, 2]) {
    await keyboard.press('Enter');
    await page.waitForFunction(`later.length >= ${times}`);
    await page.getByRole('button', { name: /Copied|Press Ctrl/ }).waitFor();
  }
  await page.evaluate('later.forEach((work) => work())');
  await page.getByRole('button', { name: /Copied|Press Ctrl/ }).waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('getSelection().toString()'), a.token);
  await tabTo(page, 'Create a new token');
  await keyboard.press('Enter');
  await tabTo(page, 'Create a new token');
  await enter(page);
  await page.getByText('This is the new token.').waitFor();
  assert.notEqual(await page.locator('#token').innerText(), a.token);

  await tabTo(page, 'Users');
  await enter(page);
  await tabTo(page, 'Name');
  await keyboard.type('Ada');
  await tabTo(page, 'Add');
  await enter(page);
  await page.getByText('Invitation link for').waitFor();

  await tabTo(page, 'Sign out');
  await enter(page);
  await page.waitForURL('**/sign-in');
  assert.deepEqual(trouble, []);
});

test('an invitation link works once; the removed user is signed out', { skip }, async (t) => {
  const { page, browser, url } = await open(t);
  await page.goto(`${url}/users`);
  await page.getByLabel('Name').fill('Ada');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const link = await page.locator('#link').innerText();

  const theirs = await (await browser.newContext()).newPage();
  await theirs.goto(link);
  await theirs.waitForURL('**/welcome'); // the page in between asks for a password, too
  await theirs.getByLabel('Password').fill('short');
  await theirs.getByRole('button', { name: 'Continue' }).click();
  await theirs.getByText('The password must have at least 12 characters').waitFor();
  await theirs.getByLabel('Password').fill('long enough, I think');
  await theirs.getByRole('button', { name: 'Continue' }).click();
  await theirs.waitForURL(`${url}/`);
  assert.equal(await theirs.getByRole('link', { name: 'Users' }).count(), 0);

  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(link);
  await stranger.getByText('This link is no longer valid').waitFor();

  await page.getByRole('link', { name: 'Ada' }).click();
  await page.getByText('Remove', { exact: true }).click();
  await page.getByRole('button', { name: 'Remove user' }).click();
  await page.getByText('User removed.').waitFor();
  await theirs.waitForURL('**/sign-in?to=*');
});

test('an import has a preview and reads the encoding of spreadsheets', { skip }, async (t) => {
  const { page, url, a, ask, trouble } = await open(t);
  await page.goto(`${url}/customers/import`);
  const table =
    'reference;name;segment;numbers\n7;Bäckerei Weiß;VIP;040 66969100\n8;Böse;Nobody;040 66969101\n';
  const file = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(table, 'latin1') };
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.waitForFunction("document.getElementById('f-table').value !== ''");
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('1 new, 0 changed, 0 unchanged.').waitFor();
  await page.getByText('Line 3: Segment "Nobody" does not exist. Add it first.').waitFor();
  const customers = async () => (await ask(`${url}/admin/customers`, { token: a.admin })).text;
  assert.doesNotMatch(await customers(), /Bäckerei/, 'nothing is taken yet');
  await page.getByRole('button', { name: 'Import 1 customer' }).click();
  await page.getByText('1 customer imported.').waitFor();
  assert.match(await customers(), /^7,Bäckerei Weiß,VIP,\+494066969100/m);
  assert.deepEqual(trouble, []);

  await page.getByLabel('CSV text').fill('no,header\n');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page
    .getByText('Choose the column that has the phone numbers, or the one that has the references.')
    .waitFor();
});

test('without scripts, everything but the bar works', { skip }, async (t) => {
  const { browser, page: signedIn, url } = await open(t);
  const cookies = await signedIn.context().cookies();
  const context = await browser.newContext({ javaScriptEnabled: false });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`${url}/customers/new`);
  await page.getByLabel('Name').fill('Plain');
  await page.getByLabel('Numbers').fill('not a number');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not a valid phone number: “not a number”.').waitFor();
  await page.getByLabel('Numbers').fill('030 901820');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('+4930901820 already belongs to "Alpha\'s customer".').waitFor();
  await page.getByLabel('Numbers').fill('030 901829');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.goto(`${url}/customers?q=901829`);
  await page.getByRole('link', { name: 'Plain' }).waitFor();
});

test('the first call is waited for and shown as it comes', { skip }, async (t) => {
  const { page, a, post, url, trouble } = await open(t);
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

  await page.getByRole('link', { name: 'Other phone systems' }).click();
  const today = page.locator('.facts > div').filter({ hasText: 'Requests today' }).locator('dd');
  await today.getByText('1', { exact: true }).waitFor();
  await page.locator('.link.live').first().waitFor({ state: 'attached' });
  await post(a.token, event({ from: '+4930901820', status: 'completed' }));
  await today.getByText('2', { exact: true }).waitFor();
  assert.deepEqual(trouble, []);
});
