import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsIn, withoutSettings, withSettings } from './edit-settings.ts';
import { parseEnvFile } from './env-file.ts';

const known = new Set(['API_TOKEN', 'API_BASE_URL']);

test('settings in arguments: each a known name, all problems at once', () => {
  assert.deepEqual(
    [...settingsIn(['API_TOKEN=a=b', 'API_BASE_URL=', 'API_TOKEN_FILE=/t'], known)],
    [
      ['API_TOKEN', 'a=b'],
      ['API_BASE_URL', ''],
      ['API_TOKEN_FILE', '/t'],
    ],
  );
  assert.throws(() => settingsIn(['API_TOKN=1', 'NOTHING=1', 'nothing'], known), {
    lines: [
      'API_TOKN: unknown setting; did you mean API_TOKEN?',
      'NOTHING: unknown setting; man pbx-bridge.env lists them',
      'got "nothing"; takes NAME=value',
    ],
  });
});

test('settings are written in their lines, once, and everything else stays', () => {
  const text = '# Mine.\nAPI_BASE_URL=\n#API_TOKEN=default\nLOG_LEVEL=info';
  const after = withSettings(
    text,
    new Map([
      ['API_BASE_URL', 'https://a.example/api/v1'],
      ['API_TOKEN', "it's $& #1"],
      ['PBX_ID', 'berlin'],
    ]),
  );
  assert.equal(after.split('\n')[1], 'API_BASE_URL=https://a.example/api/v1');
  assert.match(after, /^# Mine\.\n[\s\S]*\nLOG_LEVEL=info\nPBX_ID=berlin\n$/);
  assert.equal(parseEnvFile(after).API_TOKEN, "it's $& #1");
  assert.equal(withSettings(after, new Map([['PBX_ID', 'berlin']])), after);
  for (const value of ['a\nb', `'"\`#`])
    assert.throws(() => withSettings('', new Map([['API_TOKEN', value]])), /API_TOKEN_FILE/);
});

test('a line is known in every form in which it is read', () => {
  for (const line of ['A=1', ' A=1', 'export A=1', 'A = 1', '\texport  A =1', 'A: 1', "A='1'"]) {
    assert.equal(parseEnvFile(line).A, '1', line);
    assert.equal(parseEnvFile(withoutSettings(`${line}\nB=2\n`, ['A'])).A, '', line);
    const after = withSettings(`${line}\nB=2\n`, new Map([['A', '3']]));
    assert.deepEqual([{ ...parseEnvFile(after) }, after.split('\n').length], [{ A: '3', B: '2' }, 3], line);
  }
  assert.equal(withoutSettings('A_FILE=/a\nAB=1\n#A=1\n', ['A']), 'A_FILE=\nAB=1\n#A=1\n');
});
