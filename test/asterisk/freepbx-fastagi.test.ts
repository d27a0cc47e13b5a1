import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../tools/debian.ts';
import { install, labImpossible, versions } from '../tools/lab/install.ts';
import { steps } from './freepbx-fastagi-scene.ts';

const skip = labImpossible() ?? false;

/**
 * FreePBX's lines, FreePBX's own FastAGI server and a bridge, each on its default port: in a network of its own, since other
 * labs on this machine may have the same ports.
 */
for (const version of versions)
  test(`ring groups of FreePBX beside a bridge, on Asterisk ${version}`, { skip }, async () => {
    await install(version);
    await installPackages({ '/usr/sbin/ip': 'iproute2' });
    const scene = fileURLToPath(new URL('freepbx-fastagi-scene.ts', import.meta.url));
    const inside = 'ip link set lo up && exec "$0" "$@"';
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn('unshare', ['--net', 'sh', '-c', inside, process.execPath, scene, version], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    const [done, wrong] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const names = Object.keys(steps);
    // Node's runner of tests may add lines of its own.
    const said = done.split('\n').filter((line) => names.includes(line));
    assert.deepEqual(said, names, wrong);
  });
