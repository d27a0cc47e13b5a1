import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { beginningOf, endOf, type FilePosition, readFrom } from './rotated-file.ts';

/** A file that is written and rotated as Asterisk and logrotate do. */
function createFile(folder = mkdtempSync(join(tmpdir(), 'tail-'))) {
  const path = join(folder, 'Master.csv');
  const older = (nth: number) => `${path}.${nth}`;
  /** Files of one moment have one time; here each has its own. */
  let clock = 1_000;
  const makeRoom = () => {
    const count = readdirSync(folder).length;
    for (let nth = count - 1; nth >= 1; nth--) renameSync(older(nth), older(nth + 1));
  };
  return {
    path,
    older,
    write: (text: string) => appendFileSync(path, text),
    rotate() {
      makeRoom();
      utimesSync(path, ++clock, clock);
      renameSync(path, older(1));
      writeFileSync(path, '');
    },
    copyAndTruncate() {
      makeRoom();
      copyFileSync(path, older(1));
      utimesSync(older(1), ++clock, clock);
      truncateSync(path, 0);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function fileFor(t: TestContext) {
  const file = createFile();
  t.after(file.remove);
  return file;
}

/** Reads on until there is nothing more. */
async function readAll(path: string, from: FilePosition) {
  const texts: string[] = [];
  let restarted = false;
  for (let position = from; ; ) {
    const chunk = await readFrom(path, position);
    texts.push(...chunk.lines.map(({ text }) => text));
    restarted ||= chunk.restarted;
    position = chunk.next;
    if (chunk.atEnd) return { texts, position, restarted };
  }
}

const nowhere: FilePosition = { inode: 0, offset: 0, tail: '' };

test('a file that does not exist yet is read from its beginning later', async (t) => {
  const file = fileFor(t);
  const end = await endOf(file.path);
  assert.deepEqual(end, nowhere);
  await assert.rejects(readFrom(file.path, end), { code: 'ENOENT' });
  file.write('one\n');
  assert.deepEqual(await readAll(file.path, end).then(({ texts, restarted }) => [texts, restarted]), [
    ['one'],
    false,
  ]);
});

test('reading from the position of a line returns it again', async (t) => {
  const file = fileFor(t);
  file.write(Array.from({ length: 200 }, (_, i) => `line ${i}\n`).join(''));
  const { lines } = await readFrom(file.path, nowhere);
  for (const place of [0, 1, 50, 199])
    assert.equal((await readAll(file.path, lines[place]?.from as FilePosition)).texts[0], `line ${place}`);
});

test('a file that was edited (another inode, the same beginning) is read from the position', async (t) => {
  const file = fileFor(t);
  file.write('one\ntwo\n');
  const end = await endOf(file.path);
  copyFileSync(file.path, `${file.path}x`);
  renameSync(`${file.path}x`, file.path);
  file.write('three\n');
  assert.deepEqual(await readAll(file.path, end).then(({ texts, restarted }) => [texts, restarted]), [
    ['three'],
    false,
  ]);
});

test('a file that was empty, and is rotated before it is read again, is read to its end', async (t) => {
  const file = fileFor(t);
  file.write('');
  const end = await endOf(file.path);
  file.write('one\n');
  renameSync(file.path, `${file.path}.1`);
  file.write('two\n');
  assert.deepEqual((await readAll(file.path, end)).texts, ['one', 'two']);
});

test('a file that was emptied or compressed is read from its beginning, and reported as restarted', async (t) => {
  const file = fileFor(t);
  file.write('one\ntwo\n');
  const end = await endOf(file.path);
  renameSync(file.path, `${file.path}.1.gz`);
  file.write('a longer line than before\n');
  assert.deepEqual(await readAll(file.path, end).then(({ texts, restarted }) => [texts, restarted]), [
    ['a longer line than before'],
    true,
  ]);
});

test('other files, folders and links of the same folder are left alone', async (t) => {
  const file = fileFor(t);
  file.write('one\n');
  const end = await endOf(file.path);
  file.write('two\n');
  for (const name of ['1001.csv', 'Master.csvx']) copyFileSync(file.path, join(dirname(file.path), name));
  mkdirSync(`${file.path}.d`);
  symlinkSync('nowhere', `${file.path}.link`);
  writeFileSync(file.path, '');
  file.write('three\n');
  assert.deepEqual((await readAll(file.path, end)).texts, ['three']);
  await assert.rejects(endOf(`${file.path}.d`), { code: 'EISDIR' });
});

test('the end of a long file is after its last complete line', async (t) => {
  const file = fileFor(t);
  file.write('a line\n'.repeat(50_000));
  const { size } = statSync(file.path);
  file.write('the next');
  const { offset, inode } = await endOf(file.path);
  assert.deepEqual([offset, inode], [size, statSync(file.path).ino]);
});

test('whatever is written, rotated and copied away while it is read: every line once, in order', async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('write' as const), size: fc.integer({ min: 1, max: 40 }) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), size: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('rotate' as const), size: fc.constant(0) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('copyAndTruncate' as const), size: fc.constant(0) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const file = createFile();
      try {
        file.write('before\n');
        let position = await endOf(file.path);
        const read: string[] = [];
        const readMore = async () => {
          const all = await readAll(file.path, position);
          assert.equal(all.restarted, false);
          position = all.position;
          read.push(...all.texts);
        };
        let lines = 0;
        let rest = '';
        for (const { do: what, size } of steps) {
          if (what === 'write') {
            rest += Array.from({ length: Math.ceil(size / 8) }, () => `record ${lines++} of a call\n`).join(
              '',
            );
            // Asterisk writes a line at once, but the disk may show the half of it.
            file.write(rest.slice(0, size * 10));
            rest = rest.slice(size * 10);
          } else if (what === 'read') await readMore();
          else {
            file.write(rest);
            rest = '';
            file[what]();
          }
        }
        file.write(rest);
        await readMore();
        assert.deepEqual(
          read,
          Array.from({ length: lines }, (_, i) => `record ${i} of a call`),
        );
      } finally {
        file.remove();
      }
    }),
    { numRuns: 150 },
  );
});

test('all lines of a time are read from the oldest file that has some, and compressed files are named', async (t) => {
  const file = createFile();
  t.after(() => file.remove());
  for (const line of ['one', 'two', 'three', 'four']) {
    file.write(`${line}\n`);
    if (line !== 'four') file.rotate();
  }
  renameSync(file.older(3), `${file.older(3)}.gz`);
  const linesSince = async (since: number) => {
    const lines: string[] = [];
    let { position } = await beginningOf(file.path, since);
    for (let atEnd = false; !atEnd; ) {
      const read = await readFrom(file.path, position);
      lines.push(...read.lines.map(({ text }) => text));
      ({ next: position, atEnd } = read);
    }
    return lines.join(' ');
  };
  const unreadSince = async (since: number) => (await beginningOf(file.path, since)).unread;
  // The files were written to last at 1001, 1002 and 1003 s, and now.
  assert.equal(await linesSince(0), 'two three four');
  assert.deepEqual(await unreadSince(0), [`${file.older(3)}.gz is compressed`]);
  assert.equal(await linesSince(1_002_500), 'three four');
  assert.deepEqual(await unreadSince(1_002_500), []);
  assert.equal(await linesSince(1_004_000), 'four');
  await assert.rejects(beginningOf(`${file.path}.none`, 0), { code: 'ENOENT' });
});
