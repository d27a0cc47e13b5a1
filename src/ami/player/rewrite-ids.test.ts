import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdRewriter } from './rewrite-ids.ts';

const source = () => ({ channels: 0, names: 0, bridges: 0 });
const rewriteAll = (rewrite: (frame: Buffer) => Buffer, texts: readonly string[]): string[] =>
  texts.map((text) => rewrite(Buffer.from(text)).toString());

const recorded = [
  'Event: Newchannel\r\nChannel: PJSIP/trunk-0000002a\r\nUniqueid: 1763618400.42\r\nLinkedid: 1763618400.42',
  'Event: DialBegin\r\nUniqueid: 1763618400.42\r\nDestChannel: Local/s@ring-00000001;1\r\nDestUniqueid: 1763618402.43',
  'Event: VarSet\r\nUniqueid: 1763618402.43\r\nChannel: Local/s@ring-00000001;2\r\nValue: PJSIP/trunk-0000002a,1763618400.42',
  'Event: BridgeEnter\r\nBridgeUniqueid: a6950b8c-6cea-49f1-aa3b-7676e900b16e\r\nUniqueid: 1763618400.42',
];

test('one recording keeps its own order and ties under new names', () => {
  const rewrite = createIdRewriter(source(), 100_000);
  assert.deepEqual(rewriteAll(rewrite, recorded), [
    'Event: Newchannel\r\nChannel: PJSIP/trunk-00000001\r\nUniqueid: 1763618500.1\r\nLinkedid: 1763618500.1',
    'Event: DialBegin\r\nUniqueid: 1763618500.1\r\nDestChannel: Local/s@ring-00000002;1\r\nDestUniqueid: 1763618502.2',
    'Event: VarSet\r\nUniqueid: 1763618502.2\r\nChannel: Local/s@ring-00000002;2\r\nValue: PJSIP/trunk-00000001,1763618500.1',
    'Event: BridgeEnter\r\nBridgeUniqueid: 00000001-6cea-49f1-aa3b-7676e900b16e\r\nUniqueid: 1763618500.1',
  ]);
});

test('the same recording played beside itself shares no name with it', () => {
  const shared = source();
  const names = (texts: readonly string[]): Set<string> =>
    new Set(texts.join().match(/\d{10}\.\d+|-[0-9a-f]{8}\b|[0-9a-f]{8}-[0-9a-f-]{27}/g));
  const first = names(rewriteAll(createIdRewriter(shared, 0), recorded));
  const second = names(rewriteAll(createIdRewriter(shared, 0), recorded));
  assert.equal(first.size, second.size);
  assert.deepEqual(
    [...first].filter((name) => second.has(name)),
    [],
  );
});

test('what only looks like an id is left alone, and so are bytes that are no text', () => {
  const rewrite = createIdRewriter(source(), 100_000);
  const frame = Buffer.from(
    'Event: VarSet\r\nUniqueid: 1763618400.42\r\nValue: 1763618400.99 +493012345678\r\nX: \xff',
    'latin1',
  );
  assert.equal(
    rewrite(frame).toString('latin1'),
    'Event: VarSet\r\nUniqueid: 1763618500.1\r\nValue: 1763618400.99 +493012345678\r\nX: \xff',
  );
});

test('the name of the system before an id stays', () => {
  const rewrite = createIdRewriter(source(), 0);
  assert.deepEqual(rewriteAll(rewrite, ['Event: Hangup\r\nUniqueid: pbx-berlin-1763618400.42']), [
    'Event: Hangup\r\nUniqueid: pbx-berlin-1763618400.1',
  ]);
});
