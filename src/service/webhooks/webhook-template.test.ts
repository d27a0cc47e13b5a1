import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Format } from './webhook.ts';
import { maxTemplate, renderBody, TemplateError } from './webhook-template.ts';

const render = (format: Format, template: string, view: object) =>
  renderBody({ format, template, language: 'en' }, view);
const refusal = (format: Format, template: string, view: object = {}): string => {
  try {
    return `accepted: ${render(format, template, view)}`;
  } catch (error) {
    assert.ok(error instanceof TemplateError);
    return error.message;
  }
};
/** Whatever a caller is called: any text, and those that mean something to what comes after. */
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    '"',
    '\\',
    '","admin":true,"a":"',
    '&to=me',
    '%00',
    'a\r\nX: y',
    '{{title}}',
    '\u2028',
    '\ud800',
  ),
);

test('a value in JSON stays a part of its string, or one value, whatever it says', () => {
  fc.assert(
    fc.property(name, name, (one, other) => {
      const template = '{"text":"<{{one}}> {{list.0}}","value":{{{other}}},"all":{{{list}}}}';
      const body = render('json', template, { one, other, list: [one] });
      assert.deepEqual(JSON.parse(body), {
        text: `<${one.toWellFormed()}> ${one.toWellFormed()}`,
        value: other,
        all: [one],
      });
    }),
  );
});

test('a value in a form stays a part of its field, and a value in a text on its line', () => {
  fc.assert(
    fc.property(name, (one) => {
      const body = render('form', 'event=new call\nfrom={{one}}\n\nuser[]={{{one}}}', { one });
      assert.match(body, /^[\w.~!*'()%&=+-]*$/);
      const fields = [...new URLSearchParams(body)];
      const text = one.toWellFormed();
      assert.deepEqual(fields, [
        ['event', 'new call'],
        ['from', text],
        ['user[]', text],
      ]);
      assert.doesNotMatch(render('text', 'Call of {{one}}.', { one }), /\p{Cc}/u);
    }),
  );
  assert.equal(
    render('text', 'Call of {{a}}, <{{{a}}}>\nnow', { a: 'Ann\r\n"&' }),
    'Call of Ann "&, <Ann "&>\nnow',
  );
});

test('a template sees the data, and nothing that JavaScript has', () => {
  const view = { a: { b: 'x' }, list: [{ n: 1 }, { n: 0 }], no: null, yes: true };
  const names = [
    'constructor',
    'a.constructor.name',
    'a.b.length',
    '__proto__',
    'list.map',
    'toString',
    'no.x',
  ];
  for (const one of names)
    assert.equal(render('text', `[{{${one}}}]{{#${one}}}no{{/${one}}}`, view), '[]', one);
  assert.equal(
    render('text', '{{#a}}{{b}}{{yes}}{{/a}} {{#list}}{{n}},{{/list}}{{^no}}none{{/no}}', view),
    'xtrue 1,0,none',
  );
  assert.equal(
    render('json', '{"a":{{{no}}},"b":{{{nothing}}},"c":{{a.b.c}}0}', view),
    '{"a":null,"b":null,"c":0}',
  );
});

test('what cannot be sent is refused with the place', () => {
  const json = (template: string) => refusal('json', template, { a: null });
  assert.equal(json('{\n  "a": "{{a"'), 'Unclosed tag, line 2, column 13 of the template.');
  assert.equal(json('{{#a}}'), 'Unclosed section "a", line 1, column 7 of the template.');
  assert.equal(json('x {{/a}}'), 'Unopened section "a", line 1, column 3 of the template.');
  assert.equal(
    json('{{#b}}{{> other}}{{/b}}'),
    'There is no other template “other”, line 1, column 7 of the template.',
  );
  assert.match(
    json('{"a": {{a}},\n"b": 1}'),
    /^The body is no JSON: Unexpected token ',', "\{"a": , "b": 1}"/,
  );
  assert.match(json('{"a": 1'), /^The body is no JSON: .*\(line 1 column 8\)\.$/);
  assert.equal(json(' '.repeat(maxTemplate + 1)), `The template has more than ${maxTemplate} characters.`);
  assert.equal(refusal('form', 'a=50%'), 'Write a percent sign as %25, column 5 of the body.');
});

test('lists in lists end before they are long, or take long', () => {
  const list = Array.from({ length: 50 }, () => 'x');
  const nested = (inner: string, depth = 3) =>
    refusal('text', `${'{{#list}}'.repeat(depth)}${inner}${'{{/list}}'.repeat(depth)}`, { list });
  assert.equal(nested('x'.repeat(30), 2), 'The body would be longer than 64 KB.');
  const tooMuch = 'The template looks up too many names: it has lists in lists.';
  for (const depth of [3, 6]) assert.equal(nested('', depth), tooMuch);
  assert.equal(nested('{{q.q.q.q.q.q.q.q}}', 2), tooMuch);
  assert.equal(nested('{{.}}', 2), `accepted: ${'x'.repeat(2_500)}`);
  // What leaves nothing takes time, too.
  const long = { list, text: '\0'.repeat(2_000) };
  assert.equal(
    refusal('text', '{{#list}}{{text}}{{text}}{{/list}}', long),
    'The body would be longer than 64 KB.',
  );
});

test('a template has a size in every direction', () => {
  const wrap = (depth: number) => `${'{{#a}}'.repeat(depth)}x${'{{/a}}'.repeat(depth)}`;
  const one = (template: string) => refusal('text', template, { a: {} });
  const name = (parts: number) => Array.from({ length: parts }, () => 'a').join('.');
  assert.equal(one(wrap(6)), 'accepted: x');
  assert.equal(one(wrap(7)), 'More than 6 sections in one another, line 1, column 37 of the template.');
  assert.equal(one('{{b}}'.repeat(500)), 'accepted: ');
  assert.equal(one('{{b}}'.repeat(501)), 'More than 500 tags, line 1, column 2501 of the template.');
  assert.equal(one(`{{${name(8)}}}`), 'accepted: ');
  assert.equal(
    one(`{{^${name(9)}}}{{/${name(9)}}}`),
    'A name with very many dots, line 1, column 1 of the template.',
  );
  assert.equal(one(`{{{${'b'.repeat(201)}}}}`), 'A very long name, line 1, column 1 of the template.');
  assert.equal(one(`x{{b${' '.repeat(201)}}}`), 'More than 200 blanks, line 1, column 5 of the template.');
  assert.equal(one(`{{! ${'a comment. '.repeat(100)}}}`), 'accepted: ');
});
