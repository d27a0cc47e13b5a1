/** The changelog with its first part named after this version; undefined if that is of another version, or empty. */
export function setUnreleased(changelog: string, version: string): string | undefined {
  const [, head = '', name = '', news = ''] =
    /^(# .*\n+)## (.+)\n([\s\S]*?)(?=\n## |$)/.exec(changelog) ?? [];
  if (![version, 'Unreleased'].includes(name) || news.trim() === '') return undefined;
  return `${head}## ${version}${changelog.slice(head.length + '## '.length + name.length)}`;
}
