import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { debianMirror } from './mirror.ts';

const cases: readonly { name: string; files: Record<string, string>; found: string | undefined }[] = [
  {
    name: 'deb822: the archive, not the security one before it nor what is commented out',
    files: {
      'sources.list.d/debian.sources': `# URIs: http://commented.example/debian
Types: deb
URIs: http://one.example/debian-security
Suites: bookworm-security
Components: main

Types: deb deb-src
URIs: http://two.example/debian
 http://three.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`,
    },
    found: 'http://two.example/debian',
  },
  {
    name: 'deb822: a stanza that is switched off is not there',
    files: {
      'sources.list.d/a.sources':
        'Enabled: no\nTypes: deb\nURIs: http://off.example/debian\nSuites: sid\nComponents: main\n',
      'sources.list.d/b.sources':
        'Types: deb\nURIs: http://on.example/debian\nSuites: sid\nComponents: main\n',
    },
    found: 'http://on.example/debian',
  },
  {
    name: 'one line a source, with options, after a vendor of another thing',
    files: {
      'sources.list.d/vendor.list': 'deb https://vendor.example/apt vendor-bookworm main\n',
      'sources.list':
        '# deb http://commented.example/debian bookworm main\ndeb [arch=amd64 signed-by=/k.gpg] https://list.example/debian bookworm main contrib\n',
    },
    found: 'https://list.example/debian',
  },
  {
    name: 'a method that debootstrap cannot read',
    files: { 'sources.list': 'deb mirror+file:/etc/apt/mirrors/debian.list bookworm main\n' },
    found: undefined,
  },
  {
    name: 'an Ubuntu machine',
    files: { 'sources.list': 'deb http://archive.ubuntu.example/ubuntu noble main universe\n' },
    found: undefined,
  },
  { name: 'no sources at all', files: {}, found: undefined },
];

for (const { name, files, found } of cases) {
  test(`the Debian archive in apt's sources: ${name}`, (t) => {
    const dir = mkdtempSync(path.join(tmpdir(), 'apt-'));
    t.after(() => rmSync(dir, { recursive: true }));
    mkdirSync(path.join(dir, 'sources.list.d'));
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(dir, file), text);
    assert.equal(debianMirror(dir), found);
  });
}
