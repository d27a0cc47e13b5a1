import { request } from 'undici';
import type { About } from '../../../src/service/rules/screen-call.ts';

type Person = { by: string; name: string };

/** A call as screens get it. */
export type ScreenCall = {
  id: string;
  status: string;
  from: string;
  number: string;
  customer: { reference: string; name: string } | null;
  segment: string | null;
  priority: number | null;
  caller_id: string | null;
  answered_by?: string | null;
  rings?: Person[];
  talks?: Person[];
  about?: About;
  talked?: (Person & { from: number; to?: number })[];
  missed: boolean | null;
};

/** A person to be called back. */
type ScreenPerson = ScreenCall & { person: string; times: number; since: number; taken_by: string | null };

export type ScreenEvent =
  | { event: 'calls'; calls: ScreenCall[]; missed: ScreenPerson[]; count: number; more: boolean }
  | { event: 'call'; call: ScreenCall }
  | { event: 'customers'; calls: Pick<ScreenCall, 'id' | 'customer' | 'segment' | 'priority'>[] }
  | { event: 'missed'; missed: ScreenPerson[]; gone: string[]; count: number; more: boolean }
  | { event: 'who'; calls: { id: string; rings: Person[]; talks: Person[] }[] }
  | { event: 'about'; calls: { id: string; about: About }[] };

/** The events of a service's stream, until the loop over them is left. */
export async function* screenEvents(
  url: string,
  headers: Record<string, string>,
): AsyncGenerator<ScreenEvent> {
  const stop = new AbortController();
  const { statusCode, body } = await request(`${url}/events`, { headers, signal: stop.signal });
  if (statusCode !== 200) throw new Error(`the stream answered ${statusCode}`);
  body.setEncoding('utf8');
  try {
    let text = '';
    for await (const chunk of body) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const frame = text.slice(0, end);
        text = text.slice(end + 2);
        const [, event, data] = /^event: ([\w-]+)\ndata: (.*)$/m.exec(frame) ?? [];
        if (event === 'calls') {
          const { calls, missed, count, more } = JSON.parse(data ?? '');
          yield { event, calls, missed, count, more };
        } else if (event === 'customers' || event === 'about' || event === 'who')
          yield { event, calls: JSON.parse(data ?? '').calls };
        else if (event === 'missed') yield { event, ...JSON.parse(data ?? '') };
        else if (event === 'call') yield { event, call: JSON.parse(data ?? '') };
      }
    }
  } finally {
    body.on('error', () => {}); // the end that we cause here
    stop.abort();
  }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The calls that are open now. */
export async function openCalls(url: string, token: string): Promise<ScreenCall[]> {
  for await (const first of screenEvents(url, bearer(token))) if (first.event === 'calls') return first.calls;
  throw new Error('the stream ended before it sent the calls');
}
