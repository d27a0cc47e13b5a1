import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiResult } from '../../shared/api/result.ts';
import { readPriority } from './read-priority.ts';

const answer = (body: string, more: Partial<Extract<ApiResult, { kind: 'answer' }>> = {}): ApiResult => ({
  kind: 'answer',
  status: 200,
  contentType: 'application/json',
  body,
  truncated: false,
  durationMs: 1,
  ...more,
});

const fields = (priority: string) => ({ priority, name: 'name' });

describe("the API's answer", () => {
  const found = (value: string) => ({ status: 'FOUND', value });
  const notFound = { status: 'NOTFOUND' };
  const error = (reason: string) => ({ status: 'ERROR', reason });
  const bad = error('the value of priority is neither a number nor a plain word');
  const rows: [string, ApiResult, object][] = [
    ['a number', answer('{"priority":10}'), found('10')],
    ['zero is a priority', answer('{"priority":0}'), found('0')],
    ['a negative number', answer('{"priority":-1}'), found('-1')],
    ['a word', answer('{"priority":"gold"}'), found('gold')],
    ['under data', answer('{"data":{"priority":7}}'), found('7')],
    ['at the top goes before under data', answer('{"priority":1,"data":{"priority":7}}'), found('1')],
    ['201', answer('{"priority":10}', { status: 201 }), found('10')],
    ['null', answer('{"priority":null,"segment":null}'), notFound],
    ['null at the top, a value under data', answer('{"priority":null,"data":{"priority":7}}'), notFound],
    ['null under data', answer('{"data":{"priority":null}}'), notFound],
    ['data is null', answer('{"data":null}'), notFound],
    ['data is an empty list', answer('{"data":[]}'), notFound],
    ['an empty object', answer('{}'), notFound],
    ['an empty list', answer('[]'), notFound],
    ['nothing but null', answer('null'), notFound],
    ['204', answer('', { status: 204 }), notFound],
    ['404 that says so in JSON', answer('{"message":"No such customer."}', { status: 404 }), notFound],
    ['404 with a page', answer('<html>', { status: 404 }), error('HTTP 404')],
    ['another field', answer('{"prio":1}'), error('the response has no field priority')],
    ['a list', answer('[{"priority":1}]'), error('the response has no field priority')],
    ['a string', answer('"priority"'), error('the response has no field priority')],
    ['data is a string', answer('{"data":"priority"}'), error('the response has no field priority')],
    ['an object', answer('{"priority":{"value":1}}'), bad],
    ['a list in the field', answer('{"priority":[1]}'), bad],
    ['true', answer('{"priority":true}'), bad],
    ['an empty word', answer('{"priority":""}'), bad],
    ['a line break', answer('{"priority":"1\\nEXEC System(id)"}'), bad],
    ['a quote', answer('{"priority":"1\\""}'), bad],
    ['a number with an exponent', answer('{"priority":1e30}'), bad],
    ['a very long word', answer(`{"priority":"${'x'.repeat(33)}"}`), bad],
    ['a page', answer('<html>'), error('the response is not JSON')],
    ['half an answer', answer('{"priority":1', { truncated: true }), error('the response is too long')],
    ['an empty answer', answer(''), error('the response is not JSON')],
    ['a redirect', answer('', { status: 302, location: '/login' }), error('HTTP 302')],
    ['401', answer('{"priority":1}', { status: 401 }), error('HTTP 401')],
    ['500', answer('{"priority":1}', { status: 500 }), error('HTTP 500')],
    [
      'no answer in time',
      { kind: 'failed', error: 'timeout-headers', detail: 'x', durationMs: 1 },
      { status: 'TIMEOUT', reason: 'no answer in time' },
    ],
    [
      'no answer',
      { kind: 'failed', error: 'refused', detail: 'x', durationMs: 1 },
      error('connection refused'),
    ],
  ];
  for (const [name, result, expected] of rows)
    test(name, () => assert.deepEqual(readPriority(result, fields('priority')), expected));

  const names: [string, string, string | undefined][] = [
    ['at the top', '{"priority":1,"name":"Ann"}', 'Ann'],
    ['under data', '{"data":{"priority":1,"name":"Ann"}}', 'Ann'],
    ['of a caller without a priority', '{"priority":null,"name":"Ann"}', 'Ann'],
    [
      'with what may not be written to a channel',
      '{"priority":1,"name":" A\\nn\\u0000 \\u202e n\\r"}',
      'A n n',
    ],
    ['as long as a book', `{"priority":1,"name":"${'ä'.repeat(100)}"}`, 'ä'.repeat(60)],
    ['that is null', '{"priority":1,"name":null}', undefined],
    ['that is empty', '{"priority":1,"name":" "}', undefined],
    ['that is a number', '{"priority":1,"name":7}', undefined],
    ['with a priority that is none', '{"priority":[],"name":"Ann"}', undefined],
  ];
  for (const [what, body, name] of names)
    test(`a name ${what}`, () => assert.equal(readPriority(answer(body), fields('priority')).name, name));

  const facts: [string, string, object | undefined][] = [
    [
      'all',
      `{"priority":1,"segment":"VIP","last_extension":"101","last_answered_at":1,"callback_extension":"102","blocked":true,"language":"de"}`,
      { segment: 'VIP', lastExtension: '101', callbackExtension: '102', blocked: 'yes', language: 'de' },
    ],
    ['of a caller without a priority', '{"priority":null,"blocked":true}', { blocked: 'yes' }],
    ['under data', '{"data":{"priority":1,"segment":"VIP"}}', { segment: 'VIP' }],
    [
      'that are not known',
      '{"priority":1,"segment":null,"last_extension":null,"callback_extension":null,"blocked":false,"language":null}',
      undefined,
    ],
    [
      'of another API, which means something else',
      '{"priority":1,"segment":{"id":7},"last_extension":[101],"callback_extension":true,"blocked":"never","language":"German"}',
      undefined,
    ],
    ['as long as a book', `{"priority":1,"segment":"${'x'.repeat(999)}"}`, { segment: 'x'.repeat(200) }],
    ['with a priority that is none', '{"priority":[],"segment":"VIP"}', undefined],
  ];
  for (const [what, body, expected] of facts)
    test(`facts ${what}`, () =>
      assert.deepEqual(readPriority(answer(body), fields('priority')).facts, expected));

  test('the field name is configurable, and must be an own property', () => {
    assert.deepEqual(readPriority(answer('{"tier":"a"}'), fields('tier')), found('a'));
    for (const field of ['constructor', '__proto__', 'toString'])
      assert.deepEqual(
        readPriority(answer('{"a":1}'), fields(field)),
        error(`the response has no field ${field}`),
      );
  });
});
