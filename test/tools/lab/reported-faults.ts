import { isDeepStrictEqual } from 'node:util';
import type { FarEnd } from './far-end.ts';
import type { ExpectedCall } from './row.ts';

/** A call that must be reported. */
export type Due = {
  readonly uniqueid: string;
  readonly call: ExpectedCall;
  /** An event may come again: the bridge was killed, or the link cut, before it knew that it was delivered. */
  readonly mayRepeat: boolean;
};

/** Waits until all of them have ended at the API, for a while; gives what is wrong with what was reported. */
export async function faultsOf(farEnd: FarEnd, due: readonly Due[]): Promise<string[]> {
  const isOver = ({ uniqueid }: Due) => farEnd.receivedOf(uniqueid)?.reported.at(-1)?.status === 'completed';
  // The comparison says what is missing.
  await farEnd.fakeApi.waitFor(() => due.every(isOver), 30_000).catch(() => {});
  const wrong = due.flatMap(({ uniqueid, call, mayRepeat }) => {
    const held = farEnd.receivedOf(uniqueid);
    const once = held?.reported.filter(
      (event, nth, all) => !mayRepeat || !isDeepStrictEqual(event, all[nth - 1]),
    );
    if (held?.from === call.from && isDeepStrictEqual(once, call.reported)) return [];
    return [`reported ${JSON.stringify(held)}, not ${JSON.stringify(call)}`];
  });
  const extra = farEnd.uniqueids().filter((uniqueid) => !due.some((one) => one.uniqueid === uniqueid));
  const { inverted } = farEnd.fakeApi.counts();
  return [
    ...wrong,
    ...extra.map((uniqueid) => `reported ${uniqueid}, which is no call to report`),
    ...(inverted > 0 ? [`${inverted} events came too late and were discarded`] : []),
  ];
}
