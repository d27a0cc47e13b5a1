import { lookUp, metaOf, type Sections } from './env.ts';
import type { Environment } from './variable.ts';

/** The settings that are set, a line each, without secrets; and those secrets, to remove them from other texts. */
export function maskedSettings(
  sections: Sections,
  environment: Environment,
): { lines: string[]; secrets: string[] } {
  const lines: string[] = [];
  const secrets: string[] = [];
  for (const { shape } of Object.values(sections))
    for (const [name, schema] of Object.entries(shape)) {
      const { text, problem } = lookUp(name, environment);
      if (problem !== undefined) lines.push(`${name}: cannot be read`);
      if (text === undefined) continue;
      const isSecret = metaOf(schema).secret === true;
      if (isSecret) secrets.push(text);
      secrets.push(...passwordsIn([text]));
      lines.push(isSecret ? `${name} is set` : `${name}=${text}`);
    }
  return { lines, secrets };
}

/** Passwords in addresses, as written and decoded. */
export function passwordsIn(urls: readonly (string | undefined)[]): string[] {
  return urls.flatMap((url) => {
    const written = /^\w+:\/\/[^:@/]*:([^@/]+)@/.exec(url ?? '')?.[1];
    if (written === undefined) return [];
    try {
      return [written, decodeURIComponent(written)];
    } catch {
      return [written]; // a % that encodes nothing
    }
  });
}
