import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '../../src/service/pages/kit/html.ts';
import { en } from '../../src/service/pages/words/en.ts';
import { languages, type Words } from '../../src/service/pages/words/words.ts';
import { addWebhook, everyPage } from './every-page.ts';
import { form, person, visitor, withStore } from './people.ts';
import { event, serve } from './service-harness.ts';

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
    .replace(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\b/g, '')
    .replace(
      /\b(PBX Bridge|Administrator|Alpha's customer|Alpha|VIP|PBX [12]|ms|GET|POST|Chrome|Linux)\b/g,
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
  await person(served, { name: 'Administrator', role: 'administrator' });
  const { cookie } = await visitor(served, 'Administrator');
  for (const status of ['ringing', 'answered', 'completed'])
    await post(a.token, event({ id: 'one', status, from: '+4930901820' }));
  for (const status of ['ringing', 'completed'])
    await post(a.token, event({ id: 'two', status, from: '+49401' }));
  const headers = { cookie, 'accept-language': pseudo.language };

  const pages = await withStore(served, async (store) => {
    await addWebhook(store, 1);
    return everyPage(store, 1);
  });
  for (const { name, path } of pages) {
    const answer = await ask(`${url}${path}`, { headers });
    assert.match(answer.text, /<html lang="en-xa">/, path);
    const texts = textsOutside(answer.text);
    assert.deepEqual(texts, [], `${name}, ${path}`);
  }
  for (const path of [
    ...['/sign-in', '/users/nobody', '/api-log', '/integrations/nothing'],
    ...['/calls', '/calls?outcome=x&from=y', '/calls/details?id=one', '/callers?number=%2B49401'],
    ...['/reports', '/reports?by=week', '/reports/week'],
  ])
    assert.deepEqual(textsOutside((await ask(`${url}${path}`, { headers })).text), [], path);
  const wrong = await ask(`${url}/sign-in`, form(url, { name: 'x', password: 'y' }, headers));
  assert.deepEqual(textsOutside(wrong.text), []);
});

test('a user chooses a language; dates and errors are in it too, and the API stays English', async (t) => {
  const served = await serve(t);
  const { ask, url, a } = served;
  const { user } = await person(served, { name: 'Ada', role: 'administrator' });
  const { cookie, token } = await visitor(served, 'Ada');
  const accountPage = async (headers = {}) =>
    (await ask(`${url}/account`, { headers: { cookie, ...headers } })).text;
  assert.match(await accountPage(), /<html lang="en">.*Customers/);
  assert.match(await accountPage({ 'accept-language': 'nl-BE,nl' }), /<html lang="nl">.*Klanten/);
  const chosen = await ask(`${url}/account/language`, form(url, { token, language: 'de' }, { cookie }));
  assert.equal(chosen.status, 303);
  assert.match(await accountPage({ 'accept-language': 'nl' }), /<html lang="de">.*Kunden/);
  assert.equal((await withStore(served, (store) => store.users.find({ uid: user.uid })))?.language, 'de');
  const missing = await ask(`${url}/users/nobody`, { headers: { cookie } });
  assert.deepEqual([missing.status, missing.text.includes('Benutzer nicht gefunden.')], [404, true]);
  const unknownPage = await ask(`${url}/nothing`, {
    headers: { cookie, accept: 'text/html', 'accept-language': 'nl' },
  });
  assert.match(unknownPage.text, /<html lang="de">/);
  const refused = await ask('/voice/call', {
    token: a.token,
    method: 'POST',
    body: '{',
    headers: { 'accept-language': 'de' },
  });
  assert.deepEqual(refused.json, { message: 'The request body is not valid JSON.' });

  const unknown = await ask(`${url}/account/language`, form(url, { token, language: 'tlh' }, { cookie }));
  assert.equal(unknown.status, 303);
  assert.match(await accountPage(), /<html lang="en">/);
});

test('a browser gets a page for every error, programs get JSON', async (t) => {
  const { ask, url } = await serve(t);
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const path of ['/nothing', '/users/1/2/3', '/assets/0/style.css']) {
    const page = await ask(`${url}${path}`, { headers: { accept, 'accept-language': 'de' } });
    assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8'], path);
    assert.match(page.text, /<html lang="de">.*Unter dieser Adresse gibt es keine Seite.*href="\/"/s);
    const json = await ask(`${url}${path}`, { headers: { accept: '*/*' } });
    assert.deepEqual([json.status, json.json], [404, { message: 'There is nothing at this path.' }]);
  }
  const wrongHost = await ask(`${url}/`, { headers: { accept, host: 'evil.example' } });
  assert.deepEqual([wrongHost.status, wrongHost.headers['content-type']], [421, 'text/html; charset=utf-8']);
});
