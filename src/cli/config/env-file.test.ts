import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readEnvironment } from './env.ts';
import { parseEnvFile } from './env-file.ts';
import { ConfigError } from './variable.ts';

for (const [line, value] of [
  ['AMI_SECRET=pa#ss', 'pa#ss'],
  ['AMI_SECRET=#pass', '#pass'],
  ['AMI_SECRET=pass#', 'pass#'],
  ['AMI_SECRET = pa#ss # of the manager user', 'pa#ss'],
  ['AMI_SECRET=pass # of the manager user', 'pass'],
  ['AMI_SECRET=   # none yet', ''],
  ['AMI_SECRET=', ''],
  ["AMI_SECRET='pa#ss'", 'pa#ss'],
  ['AMI_SECRET="pa #ss" # of the manager user', 'pa #ss'],
  ["export AMI_SECRET='pa#ss'", 'pa#ss'],
  ["AMI_SECRET='pass", "'pass"],
  ['AMI_SECRET="pa#ss', '"pa#ss'],
  [`AMI_SECRET='pa"ss#`, `'pa"ss#`],
  [`AMI_SECRET=it's"#`, `it's"#`],
  ['AMI_SECRET="a"b"', '"a"b"'],
  ['AMI_SECRET=pa\\nss#', 'pa\\nss#'],
  ['AMI_SECRET=pass\r', 'pass'],
  ['AMI_SECRET: pa#ss # of the manager user', 'pa#ss'],
  ['export\tAMI_SECRET\t=\tpa#ss', 'pa#ss'],
  ['AMI_SECRET=pa=ss$HOME', 'pa=ss$HOME'],
] as const)
  test(`${JSON.stringify(line)} is ${JSON.stringify(value)}`, () => {
    const text = `# A comment: it's one\n${line}\nAPI_TOKEN='t'\n`;
    assert.deepEqual(parseEnvFile(text), { AMI_SECRET: value, API_TOKEN: 't' });
  });

test('a value that cannot be written in a line is refused, with what to do', () => {
  assert.throws(
    () => parseEnvFile('AMI_SECRET=\'"`#'),
    new ConfigError([
      'AMI_SECRET: has each of \' " and ` in it; put it into a file, and its path into AMI_SECRET_FILE',
    ]),
  );
});

test('whatever a secret is, it is read as it stands or refused', () => {
  const secret = fc
    .string({ minLength: 1, unit: fc.constantFrom(...'ab1#\'"`$\\=!{}') })
    .filter((text) => !/^(['"`]).*\1$/.test(text));
  fc.assert(
    fc.property(secret, (text) => {
      try {
        assert.deepEqual(parseEnvFile(`A=1\nAMI_SECRET=${text}\nB='2'\n`), {
          A: '1',
          AMI_SECRET: text,
          B: '2',
        });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    }),
  );
});

test('a variable of the environment goes before the file, unless it is empty', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'env-file-'));
  const before = process.env.PBX_ID;
  t.after(() => {
    rmSync(folder, { recursive: true });
    if (before === undefined) delete process.env.PBX_ID;
    else process.env.PBX_ID = before;
  });
  writeFileSync(join(folder, '.env'), 'PBX_ID=from-file\n', { mode: 0o600 });
  for (const [value, expected] of [
    ['from-environment', 'from-environment'],
    ['', 'from-file'],
  ] as const) {
    process.env.PBX_ID = value;
    assert.equal(readEnvironment(folder).PBX_ID, expected);
  }
});
