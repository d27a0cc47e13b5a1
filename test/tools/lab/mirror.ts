import { spawnSync } from 'node:child_process';

/**
 * The address of a Debian archive that apt on this machine takes packages from. The security archive is not one: it has
 * no whole releases. Undefined if there is none that debootstrap can read (on an Ubuntu machine, for one).
 */
export function debianMirror(): string | undefined {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', format], { encoding: 'utf8' });
  // Another vendor's repository also has a `main`; only Debian's has Debian's releases.
  const archive =
    /^((?:https?|file|copy):\S+) (?:debian|sid|unstable|testing|stable|old|bullseye|bookworm|trixie|forky|duke)\S* main$/;
  const line = stdout?.split('\n').find((text) => archive.test(text) && !/security|ubuntu/.test(text));
  return line && archive.exec(line)?.[1];
}
