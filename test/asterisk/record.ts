import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cdrOf } from '../tools/lab/cdr.ts';
import { office } from '../tools/lab/offices.ts';
import { startRecorder } from '../tools/lab/recorder.ts';
import { expectedCalls, type Row } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import type { Lab } from './lab.ts';
import type { WorldName } from './worlds.ts';

/**
 * Plays one row alone, in office 1, and keeps what Asterisk said (ami.jsonl), what must be reported of it
 * (expected.json) and what Asterisk wrote down itself (cdr.csv).
 */
export async function recordRow(
  lab: Lab,
  { world, row, index }: { readonly world: WorldName; readonly row: Row; readonly index: number },
): Promise<string> {
  const { pbx } = lab;
  const first = office(1);
  const recorder = await startRecorder(pbx, row.name);
  const play = await playRow({ row, index, office: first, ...lab });
  const recording = await recorder.stop();
  const expected = expectedCalls(row, index, first);
  const heard = play.inbound.length;
  if (heard !== expected.length + (row.unreported ?? 0)) {
    throw new Error(
      `row ${row.name}: ${heard} calls came in, not ${expected.length} reported and ${row.unreported ?? 0} not`,
    );
  }
  const calls = expected.map((call, i) => ({ uniqueid: play.inbound[i]?.uniqueid, ...call }));
  const settings = row.settings ? { settings: row.settings } : {};
  const callers = play.inbound.map(({ uniqueid }) => uniqueid);
  const cdr = (await cdrOf(pbx, callers)).filter(({ uniqueid }) => play.channels.has(uniqueid));

  const folder = `${recordingFolder(world)}/${row.name}`;
  const dir = path.join(import.meta.dirname, '..', 'recordings', folder);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'ami.jsonl'), recording);
  await writeFile(path.join(dir, 'expected.json'), `${JSON.stringify({ calls, ...settings }, null, 2)}\n`);
  await writeFile(path.join(dir, 'cdr.csv'), cdr.map(({ line }) => `${line}\n`).join(''));
  return folder;
}

/** The folder in `test/recordings` of a world's rows. */
export function recordingFolder(world: WorldName): string {
  return /^\d/.test(world) ? `asterisk-${world}` : world;
}
