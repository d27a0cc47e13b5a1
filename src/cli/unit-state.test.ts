import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitOf, whyNotRunning } from './unit-state.ts';

const settings = { AMI_USERNAME: 'a', AMI_SECRET: 'b', API_BASE_URL: 'https://api.example', API_TOKEN: 'c' };

test('the unit of a settings file is that of its name; files elsewhere have none', () => {
  const files = [
    '/etc/pbx-bridge/bridge.env',
    '/etc/pbx-bridge/berlin.env',
    '.env',
    '/root/bridge.env',
    undefined,
  ];
  assert.deepEqual(files.map(unitOf), ['pbx-bridge', 'pbx-bridge@berlin', undefined, undefined, undefined]);
});

for (const [what, state, says] of [
  ['no systemd', undefined, 'the bridge is not running; start it with pbx-bridge run or systemctl'],
  [
    'a unit that is not installed',
    { LoadState: 'not-found' },
    'the bridge is not running; start it with pbx-bridge run or systemctl',
  ],
  [
    'stopped',
    { LoadState: 'loaded', ActiveState: 'inactive', SubState: 'dead', ExecMainStatus: '0', NRestarts: '0' },
    'the bridge is not running; start it with systemctl start pbx-bridge',
  ],
  [
    'started again and again',
    {
      LoadState: 'loaded',
      ActiveState: 'activating',
      SubState: 'auto-restart',
      ExecMainStatus: '1',
      NRestarts: '7',
    },
    'the bridge is not running: systemd has started pbx-bridge again 7 times, the last time after exit code 1; journalctl -u pbx-bridge -p warning -n 20 says why',
  ],
  [
    'the moment of one more start',
    {
      LoadState: 'loaded',
      ActiveState: 'activating',
      SubState: 'start',
      ExecMainStatus: '0',
      NRestarts: '7',
    },
    'the bridge does not answer yet: pbx-bridge is activating (start), after 7 restarts; journalctl -u pbx-bridge -p warning -n 20 says why',
  ],
  [
    'failed for good',
    { LoadState: 'loaded', ActiveState: 'failed', SubState: 'failed', ExecMainStatus: '78', NRestarts: '0' },
    'the bridge is not running: pbx-bridge has failed with exit code 78; journalctl -u pbx-bridge -p warning -n 20 says why',
  ],
  [
    'starting',
    {
      LoadState: 'loaded',
      ActiveState: 'activating',
      SubState: 'start',
      ExecMainStatus: '0',
      NRestarts: '0',
    },
    'the bridge does not answer yet: pbx-bridge is activating (start)',
  ],
] as const)
  test(`why there is no status: ${what}`, () => {
    assert.equal(
      whyNotRunning(settings, 'pbx-bridge', () => state),
      says,
    );
  });

test('why there is no status: no unit, and nothing set up', () => {
  const never = () => assert.fail('systemd is not asked');
  assert.match(whyNotRunning(settings, undefined, never), /start it with pbx-bridge run/);
  assert.equal(
    whyNotRunning({ AMI_HOST: 'pbx' }, 'pbx-bridge@firm-a', never),
    'the bridge is not set up: run pbx-bridge setup --instance firm-a',
  );
  assert.equal(
    whyNotRunning({ AMI_HOST: 'pbx' }, 'pbx-bridge', never),
    'the bridge is not set up: run pbx-bridge setup',
  );
});
