import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUnreleased } from './unreleased.ts';

test('what is unreleased gets the version; a part that is empty, or of another version, is refused', () => {
  const of = (heading: string, news: string) =>
    `# Changelog\n\n## ${heading}\n\n${news}\n\n## 1.0.0\n\n- First.\n`;
  assert.equal(setUnreleased(of('Unreleased', '- New.'), '1.1.0'), of('1.1.0', '- New.'));
  assert.equal(setUnreleased(of('1.1.0', '- New.'), '1.1.0'), of('1.1.0', '- New.'));
  assert.equal(setUnreleased(of('1.0.9', '- New.'), '1.1.0'), undefined);
  assert.equal(setUnreleased(of('Unreleased', ''), '1.1.0'), undefined);
  assert.equal(setUnreleased('', '1.1.0'), undefined);
});
