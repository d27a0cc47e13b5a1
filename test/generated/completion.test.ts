import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../systemd/completion/pbx-bridge', import.meta.url));
const noBash = existsSync('/bin/bash') ? false : 'there is no bash';

/** What bash offers for the last of these words. */
const candidates = (...words: string[]) =>
  execFileSync(
    '/bin/bash',
    [
      '-c',
      `. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pbx_bridge; echo "\${COMPREPLY[@]}"`,
      file,
      'pbx-bridge',
      ...words,
    ],
    { encoding: 'utf8' },
  ).trim();

test('bash completes commands, their subcommands and their options', { skip: noBash }, () => {
  assert.equal(candidates('re'), 'record replay restore');
  assert.equal(candidates('outbox', ''), 'list show retry discard --help');
  assert.equal(candidates('outbox', 'retry', '--older-than', '7d', '--a'), '--all');
  assert.equal(candidates('service', 'integration', 'li'), 'list');
  assert.equal(candidates('service', 'token', '--'), '--account --rotate --keep-old --end-old --help');
});

test('a value, and what no command is called, is left to bash: file names', { skip: noBash }, () => {
  assert.equal(candidates('bugreport', '--out', 'ser'), '');
  assert.equal(candidates('replay', 'trouble'), '');
});
