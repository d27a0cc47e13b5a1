import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The address of a Debian archive, as apt on this machine has it: from `.sources` (deb822) and `.list` files
 * under `aptDir` (normally /etc/apt). The security archive is not one: it has no whole releases.
 * Undefined if apt knows no Debian archive that debootstrap can read (an Ubuntu machine, for one).
 */
export function debianMirror(aptDir: string): string | undefined {
  const stanzas = aptFiles(aptDir).flatMap(({ name, text }) =>
    name.endsWith('.sources') ? fromDeb822(text) : fromOneLine(text),
  );
  return stanzas.find(isDebianArchive)?.uri;
}

type Source = {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
};

function aptFiles(aptDir: string): { name: string; text: string }[] {
  const listed = (dir: string) => {
    try {
      return readdirSync(path.join(aptDir, dir)).map((name) => path.join(aptDir, dir, name));
    } catch {
      return [];
    }
  };
  return [path.join(aptDir, 'sources.list'), ...listed('sources.list.d').sort()]
    .filter((name) => name.endsWith('.list') || name.endsWith('.sources'))
    .flatMap((name) => {
      try {
        return [{ name, text: readFileSync(name, 'utf8') }];
      } catch {
        return [];
      }
    });
}

/** Stanzas of `Key: value` lines, parted by blank lines; `Enabled: no` switches one off. See sources.list(5). */
function fromDeb822(text: string): Source[] {
  const uncommented = text.replace(/^#.*\n?/gm, '');
  return uncommented.split(/\n\s*\n/).flatMap((stanza) => {
    const words = (key: string) =>
      new RegExp(`^${key}:((?:.*\\n?)(?:[ \\t].*\\n?)*)`, 'im').exec(stanza)?.[1]?.trim().split(/\s+/) ?? [];
    if (!words('Types').includes('deb') || words('Enabled')[0] === 'no') return [];
    return words('URIs').map((uri) => ({ uri, suites: words('Suites'), components: words('Components') }));
  });
}

/** `deb [options] uri suite component...` */
function fromOneLine(text: string): Source[] {
  return [...text.matchAll(/^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+(.*)$/gm)].map((line) => ({
    uri: line[1] ?? '',
    suites: [line[2] ?? ''],
    components: (line[3] ?? '').split(/\s+/),
  }));
}

function isDebianArchive(source: Source): boolean {
  return (
    /^(https?|file|copy):/.test(source.uri) &&
    source.components.includes('main') &&
    !/security|ubuntu/.test(source.uri) &&
    !source.suites.some((suite) => /security|ubuntu/.test(suite)) &&
    // Another vendor's repository also has a `main`; only Debian's has Debian's releases.
    source.suites.some((suite) =>
      /^(debian|sid|unstable|testing|stable|old|bullseye|bookworm|trixie|forky|duke)/.test(suite),
    )
  );
}
