import type { Ami } from '../tools/lab/ami.ts';
import { dialplanText, type Route } from '../tools/lab/dialplan.ts';
import { freepbxDialplan, freepbxFiles } from '../tools/lab/freepbx-dialplan.ts';
import { type FastAgiScripts, standInScripts } from '../tools/lab/freepbx-fastagi.ts';
import {
  fillDatabase,
  generatedDialplan,
  generatedFiles,
  generatedScripts,
  generationImpossible,
} from '../tools/lab/freepbx-generated.ts';
import type { Version } from '../tools/lab/install.ts';
import type { PortBlock } from '../tools/lab/ports.ts';
import { matchesRows, type Row } from '../tools/lab/row.ts';
import { freepbxSipConf, pjsipConf } from '../tools/lab/sip-config.ts';
import { matrix } from './rows/all.ts';
import { freepbxRows, generatedRows } from './rows/freepbx.ts';

/** A phone system of the matrix: a version of Asterisk, a dialplan, and the rows that are played on it. */
export type World = {
  readonly version: Version;
  /** A row's place gives its telephone number. */
  readonly rows: readonly Row[];
  dialplan(ports: PortBlock, routes: readonly Route[]): string;
  /** Configuration files in place of the lab's, or beside them, by name. */
  files(ports: PortBlock): Readonly<Record<string, string>>;
  /** The channel driver of phones and trunks. */
  readonly tech: 'PJSIP' | 'SIP';
  /** Why it cannot be had on this machine, in one line; undefined if it can. */
  impossible?(): string | undefined;
  /** The scripts of FreePBX's own FastAGI server, which runs beside Asterisk. */
  readonly fastAgi?: FastAgiScripts;
  /** What is to be done when Asterisk runs. */
  prepare?(driver: Ami): Promise<void>;
  /** The rows that a bridge must have heard to know the trunks. */
  readonly overEachTrunk: readonly string[];
};

/** Plain dialplans on both versions, and FreePBX's: of release 17 on 22, of release 16 on 16; and the one that its own modules write. */
export const worldNames = [
  '22',
  '16',
  'freepbx-22',
  'freepbx-16',
  'freepbx-generated',
  'freepbx-generated-16',
] as const;
export type WorldName = (typeof worldNames)[number];

const plain = { rows: matrix, dialplan: dialplanText, files: () => ({}), tech: 'PJSIP' } as const;
/** FreePBX's own modules wrote the dialplan. */
const generated = (release: '17' | '16') =>
  ({
    rows: generatedRows(release),
    overEachTrunk: ['extension-caller-hangs-up'],
    version: release === '17' ? '22' : '16',
    tech: 'PJSIP',
    dialplan: ({ fastAgi }, routes) => generatedDialplan(release, fastAgi, routes),
    fastAgi: generatedScripts(release),
    files: (ports) => ({
      ...freepbxFiles('PJSIP'),
      ...generatedFiles(),
      'pjsip.conf': pjsipConf(ports, 'from-pstn'),
    }),
    impossible: () => generationImpossible(release),
    prepare: fillDatabase,
  }) satisfies World;
const freepbx = { rows: freepbxRows, overEachTrunk: ['extension-caller-hangs-up'], fastAgi: standInScripts };

export const worlds: Readonly<Record<WorldName, World>> = {
  22: { ...plain, version: '22', overEachTrunk: ['extension-caller-hangs-up'] },
  16: { ...plain, version: '16', overEachTrunk: ['extension-caller-hangs-up', 'chan-sip-trunk'] },
  'freepbx-22': {
    ...freepbx,
    version: '22',
    tech: 'PJSIP',
    dialplan: ({ fastAgi }, routes) => freepbxDialplan('22', fastAgi, routes),
    files: (ports) => ({ ...freepbxFiles('PJSIP'), 'pjsip.conf': pjsipConf(ports, 'from-pstn') }),
  },
  'freepbx-16': {
    ...freepbx,
    version: '16',
    tech: 'SIP',
    dialplan: ({ fastAgi }, routes) => freepbxDialplan('16', fastAgi, routes),
    files: (ports) => ({ ...freepbxFiles('SIP'), 'sip.conf': freepbxSipConf(ports) }),
  },
  'freepbx-generated': generated('17'),
  'freepbx-generated-16': generated('16'),
};

/** The rows of a world whose name matches one of the globs, with their places in it. */
export function rowsOf(name: WorldName, globs = '*'): { row: Row; index: number }[] {
  const { rows, version } = worlds[name];
  return rows
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => (row.only ?? version) === version && matchesRows(row.name, globs));
}
