import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGunzip } from 'node:zlib';
import { createFrames, gzipOfFrames } from './event-stream.ts';

test('each frame of a gzipped stream can be read when it has come, and its end is that of a gzip file', async () => {
  const zip = gzipOfFrames();
  const frameOf = createFrames();
  const frames = ['event: beat\n\n', `data: ${'Weiß 田中 '.repeat(20_000)}\n\n`, '', 'data: 1\n\n'];
  const unzip = createGunzip();
  let text = '';
  unzip.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  unzip.write(zip.head);
  let sent = '';
  for (const frame of frames) {
    const packed = zip.pack(frameOf(frame));
    if (frame.length > 10_000) assert.ok(packed.length < 2_000, `${packed.length} bytes`);
    await new Promise((done) => unzip.write(packed, done));
    await new Promise((done) => setImmediate(done));
    sent += frame;
    assert.equal(text, sent);
  }
  const ended = new Promise((done, fail) => unzip.on('end', done).on('error', fail));
  unzip.end(zip.end());
  await ended; // with a wrong sum or length it fails
});

test('what goes to many streams is packed once', () => {
  const frameOf = createFrames();
  const texts = ['who', 'beat', 'who'].map((event) => `event: ${event}\ndata: ${'1'.repeat(5_000)}\n\n`);
  const packed = texts.map((text) => [
    gzipOfFrames().pack(frameOf(text)),
    gzipOfFrames().pack(frameOf(text)),
  ]);
  for (const [first, second] of packed) assert.equal(first, second);
  assert.deepEqual(packed[0], packed[2]);
  assert.notDeepEqual(packed[0], packed[1]);
});
