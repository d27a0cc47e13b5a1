import { statfs } from 'node:fs/promises';
import { type Problem, problem } from './problem.ts';

const MB = 1 << 20;
const ampleFree = 256 * MB;
/** What ends within this is announced, ms. */
const soonMs = 14 * 86_400_000;

/** A disk that is almost full; nothing if it cannot be read. */
export async function diskProblem(directory: string): Promise<Problem[]> {
  const { bavail, bsize } = await statfs(directory).catch(() => ({ bavail: ampleFree, bsize: 1 }));
  const free = bavail * bsize;
  return free < ampleFree
    ? [problem('disk', 'problem.disk-low', { directory, free: Math.floor(free / MB) })]
    : [];
}

/** A certificate that expires within two weeks. `endsAt`: Unix ms; NaN if the certificate does not say. */
export function certificateProblem(
  key: string,
  certificate: string,
  endsAt: number | undefined,
  now: number,
): Problem[] {
  if (endsAt === undefined || !(endsAt - now <= soonMs)) return [];
  const date = new Date(endsAt).toISOString().slice(0, 10);
  return [problem(key, 'problem.certificate', { certificate, date }, { atOnce: true })];
}
