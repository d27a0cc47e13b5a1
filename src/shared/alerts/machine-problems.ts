import { statfs } from 'node:fs/promises';
import { valueWithin } from '../process/within.ts';
import { type Problem, type ProblemKey, problem } from './problem.ts';

const MB = 1 << 20;
const ampleFree = 256 * MB;
/** What ends within this is announced, ms. */
const soonMs = 14 * 86_400_000;

/** A file system that has been cut off, such as NFS, answers never, ms. */
const STATFS_MS = 1_000;

/**
 * Checks whether a disk is almost full; `unknown` if it does not answer. It asks again only after an answer: each
 * hanging request blocks a thread of Node's pool, which the whole program needs.
 */
export function watchDisk(directory: string, read: (path: string) => Promise<Space> = statfs) {
  const key = 'disk';
  let asked: Promise<Problem[]> | undefined;

  async function look(): Promise<Problem[]> {
    try {
      const { bavail, bsize } = await read(directory);
      const free = bavail * bsize;
      return free < ampleFree
        ? [problem(key, 'problem.disk-low', { directory, free: Math.floor(free / MB) })]
        : [];
    } catch {
      return [];
    } finally {
      asked = undefined;
    }
  }

  return async (): Promise<{ problems: Problem[]; unknown: ProblemKey[] }> => {
    asked ??= look();
    const problems = await valueWithin(STATFS_MS, asked);
    return problems === undefined ? { problems: [], unknown: [key] } : { problems, unknown: [] };
  };
}

type Space = { readonly bavail: number; readonly bsize: number };

/** A certificate that expires within two weeks. `endsAt`: Unix ms; NaN if the certificate does not say. */
export function certificateProblem(
  key: ProblemKey,
  certificate: string,
  endsAt: number | undefined,
  now: number,
): Problem[] {
  if (endsAt === undefined || !(endsAt - now <= soonMs)) return [];
  const date = new Date(endsAt).toISOString().slice(0, 10);
  return [problem(key, 'problem.certificate', { certificate, date }, { atOnce: true })];
}
