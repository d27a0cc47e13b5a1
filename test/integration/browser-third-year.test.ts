import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../src/service/service.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import { browserImpossible, keepPicture, openBrowser, signedIn, watch } from '../tools/browser/browser.ts';
import { layoutTrouble } from '../tools/browser/layout-trouble.ts';
import { openThirdYear } from '../tools/office/third-year.ts';
import { extensionOf } from '../tools/office/years.ts';
import { everyPage } from '../tools/service/every-page.ts';
import { callers, event, options, startAgain, stateFolder } from '../tools/service/harness.ts';
import { password, withStore } from '../tools/service/people.ts';

const skip = browserImpossible() ?? false;

/** CSS px: a telephone, a tablet, a notebook, a desk. */
const widths = [360, 768, 1366, 1920];

/** A customer of the office, and somebody unknown. */
const inCalls = ['+49403000000', '+4940428831'];
const stranger = { number: '+4940428830', shown: '+49 40 428830', name: 'Ines Möller-Hagedorn' };

test('an office in its third year: no page is wider than its screen or hides a name, and a day at reception', {
  skip,
}, async (t) => {
  const stateDir = stateFolder(t);
  const { tokens, agent, toCallBack } = await openThirdYear(stateDir);
  const service = await startService(options(stateDir), { log: silentLog });
  t.after(() => service.stop());
  const { url, ask, post } = callers(service.url);
  const served = { service, stateDir, url, ask };
  const [token = ''] = tokens;
  const browser = await openBrowser(t);

  await t.test('every page, in windows of four widths', async () => {
    for (const [n, from] of inCalls.entries()) await post(token, event({ id: `rings ${n}`, from }));
    const pages = await withStore(served, (store) => everyPage(store, 1));
    const { page, trouble } = await signedIn(browser, served, { reducedMotion: 'reduce' });
    const found: string[] = [];
    for (const { name, path } of pages) {
      await page.goto(url + path);
      await page.locator('#now[aria-busy=false]').waitFor({ state: 'attached' });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await keepPicture(page, `third-year/${name}-${width}`);
        found.push(...(await layoutTrouble(page)).map((line) => `${name} ${width}: ${line}`));
      }
      found.push(...trouble.splice(0).map((line) => `${name}: ${line}`));
    }
    for (const [n, from] of inCalls.entries())
      for (const status of ['answered', 'completed'])
        await post(token, event({ id: `rings ${n}`, from, status, caller_id: '1001' }));
    assert.deepEqual(found, []);
  });

  await t.test(
    'a call rings, is looked at, added, noted and answered; one is missed and called back',
    async () => {
      const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, locale: 'en-GB' });
      const { page, trouble } = await watch(context);
      const call = (id: string, status: string, more = {}) =>
        post(token, event({ id, status, from: stranger.number, ...more }));
      const showsCount = (count: number) =>
        page.locator('nav .count').getByText(`${count}`, { exact: true }).waitFor();
      const card = (id: string) => page.locator(`#now [data-call="${id}"]`);
      /** Calls and missed ones of the report. */
      const figures = async () => {
        await page.goto(`${url}/reports`);
        const all = await page.locator('.figures > div').allTextContents();
        return ['Calls', 'Missed'].map((name) => {
          const figure = all.find((text) => text.startsWith(name))?.slice(name.length);
          return Number(/^[\d,]+/.exec(figure ?? '')?.[0].replace(',', ''));
        });
      };
      await page.goto(url);
      await page.getByLabel('Name').fill(agent);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('#now[aria-busy=false]').waitFor();
      await showsCount(toCallBack.size);
      const [calls = Number.NaN, missed = Number.NaN] = await figures();

      await call('first', 'ringing');
      await card('first').getByRole('link', { name: stranger.shown }).click();
      await page.getByLabel('Add name').fill(stranger.name);
      await page.getByLabel('Segment').selectOption('Owners');
      await page.locator('main').getByRole('button', { name: 'Save' }).first().click();
      await card('first').getByRole('link', { name: stranger.name }).click();
      await page.getByRole('heading', { name: stranger.name }).waitFor();
      await call('first', 'answered', { caller_id: extensionOf(1) });
      await card('first').getByLabel('Note').fill('Wants the key to the cellar on Friday.');
      await card('first').getByRole('button', { name: 'Save' }).click();
      await card('first').getByText('Saved').waitFor();
      await call('first', 'completed', { caller_id: extensionOf(1) });
      await page.reload();
      await page.locator('#story').getByText('key to the cellar').waitFor();

      await call('second', 'ringing');
      await card('second').getByRole('link', { name: stranger.name }).waitFor();
      await service.stop();
      await page.locator('.lost').waitFor();
      await startAgain(t, served, (elsewhere) =>
        elsewhere.post(token, event({ id: 'second', status: 'completed', from: stranger.number })),
      );
      await showsCount(toCallBack.size + 1);
      await page
        .locator('nav')
        .getByRole('link', { name: /^Call back/ })
        .click();
      const row = page.locator('#call-backs tr').filter({ hasText: stranger.name });
      await row.getByText('key to the cellar').waitFor();
      await row.getByRole('button', { name: 'I’ll call' }).click();
      await row.getByText('You', { exact: true }).waitFor();
      await row.getByRole('button', { name: 'Done' }).click();
      await showsCount(toCallBack.size);

      await page.goto(`${url}/calls?q=${encodeURIComponent(stranger.name)}`);
      assert.equal(await page.locator('main tbody tr[data-key]').count(), 2);
      assert.deepEqual(await figures(), [calls + 2, missed + 1]);
      assert.deepEqual(
        trouble.filter((each) => !/ERR_CONNECTION|ERR_INCOMPLETE/.test(each)),
        [],
      );
    },
  );
});
