import { spawnSync } from 'node:child_process';

type Report = {
  readonly vulnerabilities?: Record<string, { readonly via: readonly (string | Advisory)[] }>;
  readonly metadata?: { readonly dependencies: { readonly total: number } };
  readonly message?: string;
};
type Advisory = {
  readonly name: string;
  readonly range: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
};

/**
 * `npm run advisories`: asks npm's registry for advisories on the locked dependencies, those for development too. Exit
 * code 1 if there are some. If the registry does not answer, one line says so, and the exit code is 0: nothing is known.
 */
const { stdout = '', error } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' });
const { vulnerabilities, metadata, message } = reportOf(stdout);
if (vulnerabilities === undefined || metadata === undefined) {
  const reason = message ?? error?.message ?? 'no answer';
  process.stdout.write(`advisories: not checked, the registry does not answer: ${reason.split('\n')[0]}\n`);
} else {
  const found = Object.values(vulnerabilities).flatMap(({ via }) =>
    via.filter((each) => typeof each === 'object'),
  );
  for (const { severity, name, range, title, url } of found)
    process.stdout.write(`${severity}  ${name} ${range}  ${title}  ${url}\n`);
  process.stdout.write(`advisories: ${found.length} on ${metadata.dependencies.total} locked dependencies\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

function reportOf(text: string): Report {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
