import type { Rang, Talked } from '../../shared/api/contract/call-extras.ts';
import type { OpenCall } from './open-call.ts';

/** Who rings for a caller, and who talks with the caller. Times are milliseconds from the beginning of the call. */
export type Who = {
  readonly rang: Rang[];
  readonly talked: Talked[];
  /** Who rings now, and since when. */
  readonly ringing: Map<string, number>;
  /** Who talks now. */
  talking: readonly string[];
};

export const createWho = (): Who => ({ rang: [], talked: [], ringing: new Map(), talking: [] });

/** As saved before a restart: who rang then is not known to ring now. */
export function whoOfSaved({ rang = [], talked = [] }: Pick<OpenCall, 'rang' | 'talked'>): Who {
  const talking = talked.filter(({ to }) => to === undefined).map(({ by }) => by);
  return {
    ...createWho(),
    rang: rang.map((one) => ({ ...one })),
    talked: talked.map((one) => ({ ...one })),
    talking,
  };
}
