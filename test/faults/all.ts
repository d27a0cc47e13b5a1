import type { Fault } from '../tools/faults/fault.ts';
import { api } from './api.ts';
import { clock } from './clock.ts';
import { corruption } from './corruption.ts';
import { discard } from './discard.ts';
import { diskErrors } from './disk-errors.ts';
import { diskFreed } from './disk-freed.ts';
import { diskFull } from './disk-full.ts';
import { kill } from './kill.ts';
import { link } from './link.ts';
import { linkReal } from './link-real.ts';
import { outage } from './outage.ts';
import { poison } from './poison.ts';
import { powerCuts } from './power-cut.ts';
import { restore } from './restore.ts';
import { soaks } from './soak.ts';
import { unreadLog } from './unread-log.ts';

/** All faults, in the order of the table. */
export const faults: readonly Fault[] = [
  kill,
  ...powerCuts,
  ...diskErrors,
  diskFull,
  diskFreed,
  corruption,
  link,
  linkReal,
  api,
  discard,
  outage,
  clock,
  poison,
  restore,
  unreadLog,
  ...soaks,
];

export const controlName = ({ name, control }: Fault): string => `${name}, control: ${control?.without}`;
