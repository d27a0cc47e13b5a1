import type { Screen } from './screen.ts';

/** Sends a form of the calls now. Undefined if the service took it, else why not. */
export async function post(
  { token, words }: Pick<Screen, 'token' | 'words'>,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const body = new URLSearchParams({ ...fields, token, from: 'now' });
  const answer = await fetch(path, { method: 'POST', body }).catch(() => undefined);
  if (answer?.status === 204) return undefined;
  const page = new DOMParser().parseFromString((await answer?.text().catch(() => '')) ?? '', 'text/html');
  return page.querySelector('[role=alert]')?.textContent || words.refused;
}
