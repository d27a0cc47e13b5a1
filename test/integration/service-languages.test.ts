import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsPages } from '../../src/service/kit/settings-frame.ts';
import { en } from '../../src/service/words/en.ts';
import { html } from '../../src/service/words/html.ts';
import { languages, type Words } from '../../src/service/words/words.ts';
import { addBridgeReport, addWebhook, everyPage } from '../tools/service/every-page.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse, form, password, person, withStore } from '../tools/service/people.ts';

/** English with every text in ⟦brackets⟧: what a page shows outside of them is a text that is not in words/. */
function bracketed<Value>(value: Value): Value {
  if (typeof value === 'string') return `⟦${value}⟧` as Value;
  if (typeof value === 'function')
    return ((...given: unknown[]) => {
      const text = value(...given);
      return typeof text === 'string' ? `⟦${text}⟧` : html`⟦${text}⟧`;
    }) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bracketed(inner)])) as Value;
}
const pseudo: Words = { ...bracketed(en), language: 'en-xa', locale: 'en-GB' };

/** Names, numbers, times and code are no texts: what remains has letters. */
function isText(text: string): boolean {
  const rest = text
    .replace(
      /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|[Tt]oday|[Yy]esterday|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\b/g,
      '',
    )
    .replace(
      /\b(PBX Bridge|Administrator|Alpha's customer|Alpha|VIP|PBX [12]|ms|s|min|h|GET|POST|Chrome|Linux|OpenAPI|Standard Webhooks)\b/g,
      '',
    );
  return /\p{L}/u.test(rest);
}

/** The texts of a document, and of attributes that people read or hear, that are not in ⟦brackets⟧. */
function textsOutside(document: string): string[] {
  const outside: string[] = [];
  let depth = 0;
  const add = (text: string) => {
    let plain = '';
    for (const letter of text) {
      if (letter === '⟦') depth += 1;
      if (depth === 0) plain += letter;
      if (letter === '⟧') depth -= 1;
    }
    if (isText(plain)) outside.push(plain.trim());
  };
  const page = document
    .replace(/<(pre|code|time|bdi|textarea|svg)\b([^>]*)>.*?<\/\1>/gs, '<$1$2>')
    .replace(/<nav class="languages.*?<\/nav>/gs, '') // by their own names
    .replace(/<select id="f-(country|zone|language)".*?<\/select>/gs, ''); // Intl knows their names
  for (const [, tag = '', text = ''] of page.matchAll(/<([^>]*)>([^<]*)/g)) {
    for (const [, , value = ''] of tag.matchAll(/ (aria-label|placeholder|alt)="([^"]*)"/g)) add(value);
    add(text.replace(/&\w+;/g, ' '));
  }
  return outside;
}

test('every page shows only texts that every language has', async (t) => {
  languages.set(pseudo.language, pseudo);
  t.after(() => languages.delete(pseudo.language));
  const served = await serve(t);
  const { ask, url, a, post } = served;
  const { read } = await browse(served, 'Administrator');
  for (const status of ['ringing', 'answered', 'completed'])
    await post(a.token, event({ id: 'one', status }));
  for (const status of ['ringing', 'completed'])
    await post(a.token, event({ id: 'two', status, from: '+49401' }));
  const headers = { 'accept-language': pseudo.language };
  const pages = await withStore(served, async (store) => {
    await addWebhook(store, 1);
    await addBridgeReport(store, 1);
    return everyPage(store, 1);
  });
  for (const path of [
    ...pages.map((page) => page.path),
    '/users/nobody',
    '/api-log',
    '/integrations/nothing',
    '/calls',
    '/calls?outcome=x&from=y',
    '/calls/details?id=one',
    '/person?number=%2B49401',
    '/reports',
    '/reports?by=week',
  ]) {
    const { text } = await read(path, headers);
    assert.match(text, /<html lang="en-xa">/, path);
    assert.deepEqual(textsOutside(text), [], path);
  }
  for (const sent of [{ headers }, form(url, { name: 'x', password: 'y' }, headers)]) {
    const { text } = await ask(`${url}/sign-in`, sent);
    assert.match(text, /<html lang="en-xa">/);
    assert.deepEqual(textsOutside(text), []);
  }
});

test('the sign-in page offers every language; the chosen one is also that of errors and of the user who has none', async (t) => {
  const served = await serve(t);
  const { url, ask } = served;
  const { user } = await person(served, { name: 'Bea' });
  const page = (await ask(`${url}/sign-in?language=fr&to=%2Freports`)).text;
  assert.match(page, /<html lang="fr">.*name="language" value="fr"/s);
  assert.match(page, /lang="fr" aria-current="true">Français/);
  assert.equal(page.match(/href="\/sign-in\?to=%2Freports&amp;account=&amp;language=\w\w"/g)?.length, 5);
  const enter = (given: string, language: string) =>
    ask(`${url}/sign-in`, form(url, { name: 'Bea', password: given, language }));
  assert.match((await enter('wrong', 'fr')).text, /<html lang="fr">/);
  const languageOf = () => withStore(served, async (store) => (await store.users.find(user))?.language);
  for (const [chosen, kept] of [
    ['xx', ''],
    ['fr', 'fr'],
    ['de', 'fr'],
  ] as const) {
    assert.equal((await enter(password, chosen)).status, 303);
    assert.equal(await languageOf(), kept);
  }
});

test('a page of the settings has one name, in the list beside it, in its title and as its heading', async (t) => {
  const { read } = await browse(await serve(t), 'Ada');
  for (const language of languages.keys())
    for (const { path } of settingsPages) {
      const { text } = await read(path, { 'accept-language': language });
      const names = [
        /<title>(.*?) · /,
        /<h1>(.*?)<\/h1>/,
        /<nav class="list".*aria-current="page">.*?<\/svg>(.*?)<\/a>/s,
      ];
      const [title, ...others] = names.map((pattern) => pattern.exec(text)?.[1]);
      assert.ok(title);
      assert.deepEqual(others, [title, title], `${language} ${path}`);
    }
});

test('a user chooses a language; dates and errors are in it too, and the API stays English', async (t) => {
  const served = await serve(t);
  const { ask, a } = served;
  const { user, read, send } = await browse(served, 'Ada');
  const accountIn = async (language?: string) =>
    (await read('/account', language ? { 'accept-language': language } : {})).text;
  assert.match(await accountIn(), /<html lang="en">.*Customers/);
  assert.match(await accountIn('nl-BE,nl'), /<html lang="nl">.*Klanten/);
  assert.equal((await send('/account/language', { language: 'de' })).status, 303);
  assert.match(await accountIn('nl'), /<html lang="de">.*Kunden/);
  assert.equal((await withStore(served, (store) => store.users.find({ uid: user.uid })))?.language, 'de');
  const missing = await read('/users/nobody');
  assert.equal(missing.status, 404);
  assert.match(missing.text, /Das gibt es hier nicht, oder nicht mehr\./);
  const unknownPage = await read('/nothing', { accept: 'text/html', 'accept-language': 'nl' });
  assert.match(unknownPage.text, /<html lang="de">/);
  const headers = { 'accept-language': 'de' };
  const refused = await ask('/voice/call', { token: a.token, method: 'POST', body: '{', headers });
  assert.deepEqual(refused.json, { message: 'The request body is not valid JSON.' });
  assert.equal((await send('/account/language', { language: 'tlh' })).status, 303);
  assert.match(await accountIn(), /<html lang="en">/);
});

test('a browser gets a page for every error, programs get JSON', async (t) => {
  const { ask, url } = await serve(t);
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const path of ['/nothing', '/users/1/2/3', '/assets/0/style.css']) {
    const page = await ask(`${url}${path}`, { headers: { accept, 'accept-language': 'de' } });
    assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8'], path);
    assert.match(page.text, /<html lang="de">.*Das gibt es hier nicht.*href="\/calls"/s);
    const json = await ask(`${url}${path}`, { headers: { accept: '*/*' } });
    assert.deepEqual([json.status, json.json], [404, { message: 'There is nothing at this path.' }]);
  }
  const wrongHost = await ask(`${url}/`, { headers: { accept, host: 'evil.example' } });
  assert.deepEqual([wrongHost.status, wrongHost.headers['content-type']], [421, 'text/html; charset=utf-8']);
});
