import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../servers/cluster.ts';

/** CPU time of a PostgreSQL server with all its processes, those that have ended too, ms. */
export function serverCpu({ dataDir }: Pick<Cluster, 'dataDir'>): number {
  const tick = 1000 / Number(execFileSync('getconf', ['CLK_TCK']));
  const [pid = ''] = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/);
  const used = (process: string, fields: readonly number[]) => {
    if (!existsSync(`/proc/${process}/stat`)) return 0; // ended meanwhile
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
    const after = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.reduce((sum, field) => sum + Number(after[field]), 0) * tick;
  };
  // utime, stime, and of the postmaster those of its ended children.
  return used(pid, [11, 12, 13, 14]) + children.reduce((sum, child) => sum + used(child, [11, 12]), 0);
}
