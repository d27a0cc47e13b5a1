import { managerUsers } from './config.ts';

/**
 * A program on Asterisk's REST interface (ARI), as call centres write them: it puts the caller into a bridge, with the
 * endpoint that `Stasis(early-bridging,ENDPOINT)` names, before that endpoint is even dialled. Either end's hang-up ends it.
 */
export async function startStasisApp(port: number): Promise<{ close(): void }> {
  const { name, secret } = managerUsers.driver;
  const app = 'early-bridging';
  const base = `http://127.0.0.1:${port}/ari`;
  const authorization = `Basic ${btoa(`${name}:${secret}`)}`;
  /** Callers and the ends they are to be joined with, either way round. */
  const others = new Map<string, string>();

  async function ask(method: string, path: string, query: Readonly<Record<string, string>> = {}) {
    const url = `${base}/${path}?${new URLSearchParams(query)}`;
    const answer = await fetch(url, { method, headers: { authorization } });
    const body = await answer.text();
    return (body === '' ? {} : JSON.parse(body)) as { readonly id: string };
  }

  async function join(caller: string, endpoint: string) {
    const bridge = await ask('POST', 'bridges', { type: 'mixing' });
    const callee = await ask('POST', 'channels/create', { endpoint, app, originator: caller });
    others.set(caller, callee.id).set(callee.id, caller);
    await ask('POST', `bridges/${bridge.id}/addChannel`, { channel: `${caller},${callee.id}` });
    await ask('POST', `channels/${callee.id}/dial`, { caller, timeout: '20' });
  }

  async function hear(event: StasisEvent) {
    const { id = '' } = event.channel ?? event.peer ?? {};
    const other = others.get(id);
    if (event.type === 'StasisStart' && event.args?.[0] !== undefined) await join(id, event.args[0]);
    if (event.type === 'Dial' && event.dialstatus === 'ANSWER' && other !== undefined)
      await ask('POST', `channels/${other}/answer`);
    if (event.type === 'StasisEnd' && other !== undefined) await ask('DELETE', `channels/${other}`);
  }

  const events = new WebSocket(
    `${base.replace('http', 'ws')}/events?${new URLSearchParams({ app, api_key: `${name}:${secret}` })}`,
  );
  // A row in which this fails goes wrong on the telephone.
  events.onmessage = ({ data }) => void hear(JSON.parse(String(data)) as StasisEvent).catch(() => {});
  await new Promise((resolve, reject) => {
    events.onopen = resolve;
    events.onerror = () => reject(new Error(`Asterisk takes no ARI program on port ${port}`));
  });
  return { close: () => events.close() };
}

/** What is used of ARI's events. */
type StasisEvent = {
  readonly type: string;
  readonly channel?: { readonly id: string };
  readonly peer?: { readonly id: string };
  readonly args?: readonly string[];
  readonly dialstatus?: string;
};
