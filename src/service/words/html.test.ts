import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayText } from '../kit/display-text.ts';
import { formatsFor } from '../kit/formats.ts';
import { duration } from '../rules/duration.ts';
import { plainText } from '../rules/plain-text.ts';
import { isTimeZone } from '../rules/time-zone.ts';
import { html, render } from './html.ts';

test('values in a template are escaped, as content and as attributes', () => {
  const text = `<script>alert("1" & '2')</script>`;
  assert.equal(
    render(html`<a title=${text} hidden=${false}>${text}${[1, null, false, undefined, html`<b>x</b>`]}</a>`),
    "<a title=\"&lt;script>alert(&quot;1&quot; &amp; '2')&lt;/script>\">&lt;script>alert(&quot;1&quot; &amp; '2')&lt;/script>1<b>x</b></a>",
  );
});

test('untrusted text has no invisible characters, and is neither endless nor empty', () => {
  assert.equal(plainText('a\u202eb\u0000c\nd\u200f'), 'a\ufffdb\ufffdc\ufffdd\ufffd');
  assert.equal(plainText('x'.repeat(300)), `${'x'.repeat(199)}…`);
  assert.equal(plainText('📞📞📞', 4), '📞…', 'no half a character');
  for (const blank of ['', ' ', '\u200b\u00a0']) assert.equal(plainText(blank), '␣');
  assert.equal(render(displayText('<b>')), '<bdi>&lt;b></bdi>');
});

test('times are in the account’s zone, also on days with 23 and 25 hours', () => {
  const berlin = formatsFor('Europe/Berlin');
  const at = Date.UTC(2026, 2, 29, 1, 30);
  assert.equal(berlin.dateTime(at), 'Sun 29 Mar 2026, 03:30:00');
  assert.equal(berlin.startOfDay(at), Date.UTC(2026, 2, 28, 23));
  assert.equal(berlin.startOfDay(Date.UTC(2026, 9, 25, 22)), Date.UTC(2026, 9, 24, 22));
  assert.equal(formatsFor('Asia/Kolkata').time(at), '07:00');
  assert.match(
    render(berlin.moment(at, at)),
    /^<time datetime="2026-03-29T01:30:00.000Z" title="[^"]+">03:30<\/time>$/,
  );
  assert.match(render(berlin.moment(at, at + 86_400_000)), />29 Mar, 03:30</);
  for (const [name, is] of [
    ['Europe/Berlin', true],
    ['UTC', true],
    ['+01:00', false],
    ['JST', false], // known to Intl only
    ['Nowhere', false],
    ['', false],
  ] as const)
    assert.equal(isTimeZone(name), is, name);
});

test('durations are minutes and seconds, with hours if any', () => {
  assert.deepEqual([null, 0, 59_999, 3_600_000].map(duration), ['–', '0:00', '0:59', '1:00:00']);
});
