import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { createCounters } from '../counters.ts';
import { createTunnel } from './tunnel.ts';

const greeting = 'Asterisk Call Manager/9.0.0\r\n';

function openTunnel() {
  const written: string[] = [];
  const heard: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    write: (text: string) => written.push(text),
    destroySoon: () => {},
  });
  const counters = createCounters();
  const tunnel = createTunnel(socket as unknown as Socket, counters, () => 0, {
    onGreeting: () => {},
    onEnd: (detail) => heard.push(`end: ${detail}`),
    onLost: () => {},
    onFrame: (frame) => heard.push(`tap: ${frame}`),
  });
  tunnel.stream.on('data', (text) => heard.push(`library: ${text}`));
  const receive = (text: string): boolean => socket.emit('data', Buffer.from(text));
  return { tunnel, socket, counters, receive, written, heard };
}

test('the library hears call events and what it asked for, the tap hears all', () => {
  const { tunnel, receive, written, heard, counters } = openTunnel();
  receive(greeting);
  tunnel.stream.write('Action: Ping\r\nActionID: 7\r\n\r\n');
  receive('Response: Success\r\nActionID: 7\r\n\r\n');
  receive('Response: Success\r\nActionID: 7\r\n\r\n');
  receive('Event: VarSet\r\n\r\nEvent: Hangup\r\nPrivilege: call,all\r\nUniqueid: 1.1\r\n\r\n');
  assert.deepEqual(written, ['Action: Ping\r\nActionID: 7\r\n\r\n']);
  assert.deepEqual(
    heard.filter((text) => text.startsWith('library')),
    ['library: Response: Success\r\nActionID: 7\r\n\r\n', 'library: Event: Hangup\r\nUniqueid: 1.1\r\n\r\n'],
    'an answer is heard once',
  );
  assert.equal(heard.filter((text) => text.startsWith('tap')).length, 4);
  assert.deepEqual(Object.fromEntries(counters.ignored), { Response: 1, VarSet: 1 });
  assert.equal(counters.bytesOut, written.join('').length);
});

test('nothing is handed on or sent once it is destroyed', () => {
  const { tunnel, socket, receive, written, heard } = openTunnel();
  receive(`${greeting}Event: Hangup\r\n`);
  tunnel.destroy();
  receive('Uniqueid: 1.1\r\n\r\n');
  tunnel.stream.write('Action: Ping\r\nActionID: 8\r\n\r\n');
  socket.emit('error', new Error('reset'));
  socket.emit('close');
  assert.deepEqual(heard, []);
  assert.deepEqual(written, []);
});

test('the end of the socket is told once, with its reason', () => {
  const { socket, heard } = openTunnel();
  socket.emit('error', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  socket.emit('close');
  assert.deepEqual(heard, ['end: ECONNRESET']);
});
