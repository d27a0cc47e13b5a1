import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import {
  accessibilityTrouble,
  browserImpossible,
  keepPicture,
  openBrowser,
  signIn,
  watch,
} from './browser.ts';
import { layoutTrouble } from './layout-trouble.ts';
import { password } from './people.ts';
import { serve } from './service-harness.ts';

const skip = browserImpossible() ?? false;

test('the first link asks for a name and a password, which then sign in', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page, trouble } = await signIn(browser, served);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');

  await page.getByLabel('Name').fill('ADMINISTRATOR');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Wrong name or password').waitFor();
  assert.deepEqual(
    trouble.splice(0).filter((line) => !line.includes('401')),
    [],
  );

  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/');
  assert.deepEqual(trouble, []);
});

test('signing in opens the requested page, but none of another site', { skip }, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  await (await signIn(browser, served)).context.close();
  for (const [to, path] of [
    ['/account?done=settings', '/account?done=settings'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
  ] as const) {
    const context = await browser.newContext();
    const { page, trouble } = await watch(context);
    await page.goto(`${served.url}/sign-in?${new URLSearchParams({ to })}`);
    await page.getByLabel('Name').fill('Administrator');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname !== '/sign-in');
    assert.equal(page.url(), served.url + path);
    assert.deepEqual(trouble, []);
    await context.close();
  }
});

test('a second factor is switched on with the app, and asked for from then on', { skip }, async (t) => {
  const served = await serve(t);
  const browser = await openBrowser(t);
  const { page, trouble } = await signIn(browser, served, { size: 'narrow', theme: 'dark' });
  const looks = async (name: string) => {
    await page.waitForLoadState(); // what was waited for may be there before the rest
    await keepPicture(page, `${name}-narrow-dark`);
    assert.deepEqual(await layoutTrouble(page), [], name);
    assert.deepEqual(await accessibilityTrouble(page), [], name);
  };
  await page.goto(`${served.url}/account`);
  await page.getByRole('link', { name: 'Second factor' }).click();
  await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
  const key = (await page.locator('#secret').innerText()).replaceAll(' ', '');
  const app = new TOTP({ secret: Secret.fromBase32(key) });
  await page.getByLabel('Code', { exact: true }).fill(app.generate());
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('Keep these recovery codes').waitFor();
  await looks('recovery-codes');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await looks('sign-in');
  await page.getByLabel('Name').fill('Administrator');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code').fill('000000');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Wrong code').waitFor();
  await looks('sign-in-code');
  // Each code counts once, so this is the next one, which is right too, even if 30 seconds are over meanwhile.
  await page.getByLabel('Code').fill(app.generate({ timestamp: Date.now() + 30_000 }));
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/');
  await page.goto(`${served.url}/account`);
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
