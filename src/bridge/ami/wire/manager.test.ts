import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { createManager, type Response } from './manager.ts';

/** A logged-in manager, what it has written, and the responses it has called back with. */
async function logIn() {
  const written: string[] = [];
  const responses: Response[] = [];
  const manager = createManager('bridge', 'let me in', (text) => written.push(text));
  const receive = (text: string): boolean => manager.receive(Buffer.from(text));
  manager.login((refusal) => assert.equal(refusal, undefined));
  receive(`Response: Success\r\nActionID: ${idOf(written[0])}\r\n\r\n`);
  await settled();
  return {
    written,
    responses,
    receive,
    send: (id: string) => manager.send({ action: 'Ping' }, id, (response) => responses.push(response)),
  };
}

const idOf = (text = ''): string => /^ActionID: (.*)\r$/m.exec(text)?.[1] ?? '';
const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

for (const [what, frame, response, values] of [
  ['success', 'Response: Success\r\nActionID: 7\r\nMessage: ok\r\n\r\n', 'Success', { Message: 'ok' }],
  ['error', 'Response: Error\nActionID: 7\nMessage: no\n\n', 'Error', { Message: 'no' }],
  ['the answer to Logoff', 'Response: Goodbye\r\nActionID: 7\r\n\r\n', 'Success', {}],
  ['what would start a command output', 'Response: Follows\r\nActionID: 7\r\n\r\n', 'Error', {}],
  [
    'keys of JavaScript and of the library',
    'Response: Success\r\nconstructor: 1\r\n__proto__: 2\r\nEvent: close\r\ncontent: 3\r\nActionID: 7\r\n\r\n',
    'Success',
    { constructor: '1', ['__proto__']: '2', Event: 'close', content: '3' },
  ],
  ['a second ActionID', 'Response: Success\r\nActionID: 7\r\nActionID: 8\r\n\r\n', 'Success', {}],
] as const) {
  test(`a response: ${what}`, async () => {
    const { send, receive, responses } = await logIn();
    send('7');
    assert.equal(receive(frame), true);
    await settled();
    assert.equal(responses.length, 1);
    assert.equal(responses[0]?.response, response);
    const { Response: _, ActionID: __, ...rest } = Object.fromEntries(responses[0]?.fields ?? []);
    assert.deepEqual(Object.entries(rest), Object.entries(values));
  });
}

test('a response is taken once, and only by the action it answers', async () => {
  const { send, receive, responses } = await logIn();
  send('7');
  for (const id of ['managerevent', 'rawevent', 'error', 'newListener', '8', ''])
    assert.equal(receive(`Response: Success\r\nActionID: ${id}\r\n\r\n`), false);
  assert.equal(receive('Response: Success\r\nMessage: ok\r\n\r\n'), false);
  assert.equal(receive('Response: Success\r\nActionID: 7\r\n\r\n'), true);
  assert.equal(receive('Response: Success\r\nActionID: 7\r\n\r\n'), false);
  await settled();
  assert.equal(responses.length, 1);
});

test('a library that throws leaves the connections of the process as they were', (t) => {
  const { createConnection } = net;
  t.mock.method(EventEmitter.prototype, 'once', () => {
    throw new Error('cannot connect');
  });
  assert.throws(() => createManager('bridge', 'let me in', () => {}), /cannot connect/);
  const after = net.createConnection;
  net.createConnection = createConnection;
  assert.equal(after, createConnection);
});
