import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isCallEvent } from '../src/bridge/ami/events.ts';
import { agiSection } from '../src/cli/config/agi-section.ts';
import { amiSection } from '../src/cli/config/ami-section.ts';
import { loadConfig } from '../src/cli/config/env.ts';
import { readScenarios } from './recordings/library.ts';

/** The samples for Asterisk that the lab does not try by itself: what they let through, and what they name. */
const sample = readFileSync(new URL('../config/asterisk/manager_custom.conf', import.meta.url), 'utf8');
const letThrough = [...sample.matchAll(/^eventfilter = \^Event: (\w+)$/gm)].map(
  (match) => match[1] as string,
);

test('the manager user sees the events that the bridge reads, and no others', () => {
  const events = readScenarios('asterisk-').flatMap(({ recording }) =>
    recording.frames.map(({ frame }) => /^Event: (\w+)/.exec(frame.toString())?.[1] ?? ''),
  );
  const read = new Set(events.filter(isCallEvent));
  assert.ok(read.size >= 8);
  assert.deepEqual(
    [...read].filter((name) => !letThrough.includes(name)),
    [],
    'events that the bridge reads, and that the eventfilter keeps away',
  );
  assert.deepEqual(
    letThrough.filter((name) => !isCallEvent(name)),
    [],
    'events that the bridge does not read',
  );
  const newForm = [...sample.matchAll(/^;eventfilter\(name\((\w+)\)\) =$/gm)].map(([, name]) => name);
  assert.deepEqual(newForm, letThrough, 'the newer form of the filter');
});

test('it has the rights that the settings ask for, and no more', () => {
  assert.match(amiSection.title, /read = call and write = reporting/);
  assert.deepEqual(sample.match(/^(read|write) = .*$/gm), ['read = call', 'write = reporting']);
});

test('the sample dialplan asks at the default address of priority lookups', () => {
  const dialplan = readFileSync(
    new URL('../config/asterisk/extensions_custom.conf', import.meta.url),
    'utf8',
  );
  const { agi } = loadConfig({ agi: agiSection }, {});
  assert.ok(agi);
  assert.ok(dialplan.includes(`Set(PBX_BRIDGE_AGI=${agi.server.host}:${agi.server.port})\n`));
});
