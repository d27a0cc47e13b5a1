import { spawnSync } from 'node:child_process';
import { isUnset, requiredSettings } from './config/env.ts';
import { plainBridge } from './config/instances.ts';
import type { Environment } from './config/variable.ts';

/** What systemd knows of a unit, as `systemctl show` names it. */
type UnitState = Readonly<Record<string, string>>;

/** The unit of the bridge with this settings file; undefined if no unit reads it. */
export function unitOf(file: string | undefined): string | undefined {
  const [, name] = /^\/etc\/pbx-bridge\/([^/]+)\.env$/.exec(file ?? '') ?? [];
  if (name === undefined) return undefined;
  return name === plainBridge ? 'pbx-bridge' : `pbx-bridge@${name}`;
}

/**
 * Why a bridge does not answer, and what to do. `unit`: undefined for one that no unit runs.
 * @param read what systemd knows of the unit; undefined without systemd.
 */
export function whyNotRunning(
  environment: Environment,
  unit: string | undefined,
  read: (unit: string) => UnitState | undefined = readUnit,
): string {
  const [, instance] = unit?.split('@') ?? [];
  const setup = instance ? `pbx-bridge setup --instance ${instance}` : 'pbx-bridge setup';
  if (isUnset(requiredSettings, environment)) return `the bridge is not set up: run ${setup}`;
  const state = unit === undefined ? undefined : read(unit);
  if (unit === undefined || state?.LoadState !== 'loaded')
    return 'the bridge is not running; start it with pbx-bridge run or systemctl';
  const { ActiveState, SubState, ExecMainStatus = '?', NRestarts = '?' } = state;
  const reason = `journalctl -u ${unit} -p warning -n 20 says why`;
  if (SubState === 'auto-restart')
    return `the bridge is not running: systemd has started ${unit} again ${NRestarts} times, the last time after exit code ${ExecMainStatus}; ${reason}`;
  if (ActiveState === 'failed')
    return `the bridge is not running: ${unit} has failed with exit code ${ExecMainStatus}; ${reason}`;
  if (ActiveState === 'inactive') return `the bridge is not running; start it with systemctl start ${unit}`;
  // It may have failed and been started again a moment ago.
  const restarts = NRestarts === '0' ? '' : `, after ${NRestarts} restarts; ${reason}`;
  return `the bridge does not answer yet: ${unit} is ${ActiveState} (${SubState})${restarts}`;
}

function readUnit(unit: string): UnitState | undefined {
  const names = 'LoadState,ActiveState,SubState,ExecMainStatus,NRestarts';
  const { status, stdout } = spawnSync('systemctl', ['show', '-p', names, unit], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  return Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
}
