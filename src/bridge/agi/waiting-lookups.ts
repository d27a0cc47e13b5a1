import { addTo, removeFrom } from '../../shared/process/multimap.ts';
import type { Presentation } from '../calls/input.ts';
import { isSettled, type Permission, type Ruling } from './number-permission.ts';

type Lookup<Answer> = {
  /** Rules by what is known now. */
  readonly rule: () => Ruling;
  /** What that channel decides now. */
  readonly permissionBy: (decider: string | undefined) => Permission;
  /** Asks the channel itself; never resolves if no reply comes. */
  readonly askCall: () => Promise<Presentation>;
  readonly waitMs: number;
  /** What the lookup gets, made when its ruling is the last: a moment later, its call may be over. */
  readonly answer: (last: Ruling) => Answer;
};

/** Lookups that wait until it is known whether their number may be sent, by the channel that decides. */
export function createWaitingLookups(setTimer: (callback: () => void, ms: number) => () => void) {
  const reviews = new Map<string | undefined, Set<() => void>>();

  return {
    /** Resolves with a settled ruling, or after `waitMs` with `pending`. Asks the call if no known call decides. */
    wait: <Answer>(first: Ruling, { rule, permissionBy, askCall, waitMs, answer }: Lookup<Answer>) =>
      new Promise<Answer>((resolve) => {
        let ruling = first;
        const end = (permission: Permission) => {
          cancelLate();
          removeFrom(reviews, ruling.decider, review);
          resolve(answer({ ...ruling, permission }));
        };
        const decide = () => {
          const { decider } = ruling;
          ruling = rule();
          if (ruling.decider !== decider) {
            removeFrom(reviews, decider, review);
            addTo(reviews, ruling.decider, review);
          }
          if (isSettled(ruling)) end(ruling.permission);
        };
        const review = () => {
          if (permissionBy(ruling.decider) !== ruling.permission) decide();
        };
        addTo(reviews, ruling.decider, review);
        const cancelLate = setTimer(() => end('pending'), waitMs);
        if (ruling.permission !== 'unknown') return;
        void askCall().then((presentation) => {
          if (!reviews.get(ruling.decider)?.has(review)) return;
          if (presentation === 'prohibited') return end('withheld');
          // If the call is known by now, it also says which number is reported of it.
          decide();
          if (ruling.permission === 'unknown') end(presentation === 'unknown' ? 'pending' : 'granted');
        });
      }),
    /** Call it when what this channel decides may have changed. */
    review(decider: string) {
      for (const review of reviews.get(decider) ?? []) review();
    },
    reviewAll() {
      for (const waiting of [...reviews.values()]) for (const review of waiting) review();
    },
  };
}
