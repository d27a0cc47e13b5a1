import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { commandsIn, createTerminal } from '../src/cli/text/terminal.ts';
import {
  documents,
  inDocuments,
  inHelp,
  refusalOf,
  textsWithCommands,
  toBeTyped,
} from './tools/tree/printed-commands.ts';

/**
 * Commands that are printed can be pasted. Here they are read, by bash and by commander; they are run, as they are
 * printed, in `integration/pasted-examples.test.ts` and, where root, systemd, apt or Asterisk are needed, in
 * `packaging/readme-tests.ts`.
 */
const printed = [
  ...inDocuments(documents),
  ...inHelp(),
  ...textsWithCommands().flatMap(({ where, command }) =>
    toBeTyped(command).map((one) => ({ where, command: one })),
  ),
];

test('all kinds of places where commands are printed were found', () => {
  for (const [where, command] of [
    ['README.md', 'apt purge pbx-bridge'],
    ['README.md', 'pbx-bridge status\n'],
    ['config/operating.md', 'adduser pbx-bridge asterisk\nsystemctl restart pbx-bridge\n'],
    ['list --help', 'pbx-bridge outbox list --state all --call pbx-1763600000.42'],
    ['replay --help', 'INBOUND_CONTEXTS=from-provider pbx-bridge replay /tmp/problem.jsonl'],
    ['delivery.dead-letter', 'pbx-bridge outbox retry --all'],
    ['src/cli/check/trunk-findings.ts', 'asterisk -rx "module reload cdr"'],
    ['src/cli/check/trunk-findings.ts', 'pbx-bridge trunks add PJSIP/my-trunk'],
    ['src/cli/record-command.ts', 'pbx-bridge replay X'],
    ['config/asterisk/manager_custom.conf', 'asterisk -rx "manager reload"'],
    ['systemd/deb/postinst', 'systemctl enable --now pbx-bridge-service'],
  ] as const)
    assert.ok(
      printed.some((it) => it.where === where && it.command === command),
      `${where}: ${command}`,
    );
});

test('every printed command is one for bash', () => {
  // Bash reads a function whole and runs nothing of it; prints the numbers of those that it cannot read.
  const script = 'for command; do eval "f() {\n$command\n}" || echo "$command"; done';
  // What the reader is to fill in.
  const commands = printed.map(({ command }) => command.replaceAll(/<\w+>/g, 'X'));
  const read = (...texts: string[]) => spawnSync('bash', ['-c', script, '', ...texts], { encoding: 'utf8' });
  assert.equal(read(...commands).stdout, '');
  assert.equal(read('curl x', "for it in a; do\\x0a curl 'x").stdout, "for it in a; do\\x0a curl 'x\n");
});

test('every printed pbx-bridge command has the arguments that it needs, and no others', () => {
  const calls = printed.flatMap(({ where, command }) =>
    [...command.matchAll(/(?:^|[;&|(] *|\$ |npx |root |=\S* )pbx-bridge ([^;&|#>\n)]+)/gm)].map(
      ([, words = '']) => ({
        where,
        // A shell's substitution is one word.
        words: words
          .replaceAll(/\$\([^)]*\)?/g, 'X')
          .trim()
          .split(/\s+/),
      }),
    ),
  );
  assert.ok(calls.length > 60, `${calls.length}`);
  for (const { where, words } of calls) {
    // In prose, a command's name alone names it; `readme.test.ts` looks whether it exists.
    if (where.endsWith('.md') && words.every((word) => /^[a-z-]+$|^\.\.\.$/.test(word))) continue;
    assert.equal(refusalOf(words), undefined, `${where}: pbx-bridge ${words.join(' ')}`);
  }
});

test('a command that could not be run is found', () => {
  for (const words of [
    'outbox retry --al',
    'explain',
    'gone',
    'trunks add',
    'backup a b',
    'service link to sign in',
  ])
    assert.notEqual(refusalOf(words.split(' ')), undefined, words);
  assert.deepEqual(
    toBeTyped(
      'Run pbx-bridge check. Or set X, then: asterisk -rx "a b". See pbx-bridge outbox list, as pbx-bridge explain says.',
    ),
    ['pbx-bridge check', 'asterisk -rx "a b"', 'pbx-bridge outbox list'],
  );
});

test('no terminal breaks a printed command, at 80 columns and at 40, and no pipe breaks a line', () => {
  const texts = textsWithCommands().map(({ command }) => command);
  assert.ok(texts.length > 40);
  for (const columns of [undefined, 80, 40])
    for (const text of texts) {
      let shown = '';
      const out = { isTTY: columns !== undefined, columns, write: (part: string) => (shown += part) };
      const terminal = createTerminal(out, { colour: false });
      terminal.wrapped('      -> ', text, 9);
      terminal.print(`  ${text}`);
      for (const command of commandsIn(text))
        assert.equal(shown.split(command).length, text.split(command).length * 2 - 1, `${columns}: ${shown}`);
      if (columns === undefined) assert.equal(shown, `      -> ${text}\n  ${text}\n`);
    }
});
