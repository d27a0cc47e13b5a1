import { shellWord } from '../text/format-text.ts';

/** Where else a call is found by the same id: a place, and the command or the address that finds it there, or what to search for. */
export type Elsewhere = { readonly place: string; readonly look: string };

type Traces = {
  readonly callId: string;
  /** When it was first seen, Unix ms. */
  readonly since: number;
  /** The unit of the bridge; undefined if none runs it. */
  readonly unit: string | undefined;
  /** Where its events went; undefined if there are none, or the settings do not say it. */
  readonly api: { readonly baseUrl: string; readonly isService: boolean } | undefined;
};

/**
 * Where else a call is found. `isService`: the API is the service of pbx-bridge, whose pages are beside it, and whose
 * webhooks name the call in a header; of any other API only its log is known.
 */
export function elsewhereOf({ callId, since, unit, api }: Traces): Elsewhere[] {
  const id = shellWord(callId);
  const inJournal = (of: string) =>
    `journalctl -u ${of} --since @${Math.floor(since / 1_000)} | grep -wF ${id}`;
  const search = `search for ${callId}`;
  const bridge = { place: 'log of the bridge', look: unit === undefined ? search : inJournal(unit) };
  if (api === undefined) return [bridge];
  if (!api.isService) return [bridge, { place: 'log of the API', look: search }];
  const query = new URLSearchParams({ in: 'call', term: callId });
  return [
    bridge,
    { place: 'API log', look: `${api.baseUrl.replace(/\/api\/v1$/, '')}/api-log?${query}` },
    { place: 'log of the service, on its machine', look: inJournal('pbx-bridge-service') },
    { place: "log of a webhook's receiver, header webhook-call-id", look: search },
  ];
}
