import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserImpossible, openBrowser, signIn } from './browser.ts';
import { event, serve } from './service-harness.ts';

const skip = browserImpossible() ?? false;

test('a stranger who is added while ringing has the name in every window, without a reload', {
  skip,
}, async (t) => {
  const served = await serve(t);
  const { a, post, url } = served;
  const report = async (id: string, ...statuses: string[]) => {
    for (const status of statuses) await post(a.token, event({ id, from: '+493023125000', status }));
  };
  await report('before', 'ringing', 'answered', 'completed');
  await report('missed', 'ringing', 'completed');
  await report('now', 'ringing');

  const browser = await openBrowser(t);
  const { page, context, trouble } = await signIn(browser, served);
  await page.goto(`${url}/calls`);
  const callBack = await context.newPage();
  await callBack.goto(`${url}/call-back`);
  const colleague = await signIn(browser, served);
  await colleague.page.goto(`${url}/bar`);
  const inBar = (id: string) => colleague.page.locator(`[data-call="${id}"]`);
  for (const id of ['now', 'missed']) await inBar(id).getByText('+49 30 23125000').waitFor();
  for (const each of [page, callBack]) await each.locator('.link.live').waitFor();
  for (const each of [page, callBack]) assert.equal(await each.getByText('Maria Stern').count(), 0);

  const form = await context.newPage();
  await form.goto(`${url}/callers?number=%2B493023125000`);
  await form.getByRole('link', { name: 'Add as customer' }).click();
  await form.getByLabel('Name', { exact: true }).fill('Maria Stern');
  await form.getByLabel('Segment').selectOption('VIP');
  await form.getByRole('button', { name: 'Save' }).click();

  for (const id of ['now', 'missed']) await inBar(id).getByText('Maria Stern').waitFor();
  for (const id of ['now', 'missed']) await inBar(id).getByText('VIP').waitFor({ state: 'attached' });
  const rows = page.locator('#calls').getByRole('link', { name: 'Maria Stern' });
  await rows.nth(2).waitFor();
  assert.equal(await rows.count(), 3);
  await callBack.locator('#call-backs').getByRole('link', { name: 'Maria Stern' }).waitFor();

  await page.getByRole('searchbox').fill('stern');
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL(/q=stern/);
  assert.equal(await rows.count(), 3);
  assert.deepEqual([...trouble, ...colleague.trouble], []);
});
