import type { Log } from '../../log/log.ts';
import { troubleOf } from '../../storage/trouble.ts';
import type { Place } from './examiner.ts';

/** From one step to the next, ms: a big file is read through in minutes, at a twentieth of the thread's time. */
const pauseMs = 20;

/** From one time to the next, ms. */
const everyMs = 86_400_000;

export type Examination = {
  /** To be called when the database is open: begins with its beginning. */
  begin(): void;
  close(): void;
};

/**
 * Reads a database through that was too big to be read at the start, while it is worked with, and again each day: an
 * event that is only waiting to be found would else be found by nobody.
 */
export function createExamination({
  from,
  step,
  damaged,
  log,
}: {
  readonly from: () => Place | undefined;
  /** Reads on from there; the same place again if there is no time for it now. */
  readonly step: (place: Place) => Place | undefined;
  /** Has the damage repaired. */
  readonly damaged: (error: unknown) => void;
  readonly log: Log;
}): Examination {
  let timer: NodeJS.Timeout | undefined;

  function goOn(place: Place): void {
    let next: Place | undefined;
    try {
      next = step(place);
    } catch (error) {
      if (troubleOf(error) === 'corrupt') {
        damaged(error);
        return;
      }
      // Other trouble with the disk is for those who work with the file, and opens it anew.
      next = place;
    }
    if (next !== undefined) {
      later(next);
    } else {
      log.say('outbox.examined');
      timer = setTimeout(begin, everyMs);
    }
  }

  function later(place: Place): void {
    timer = setTimeout(() => goOn(place), pauseMs);
  }

  function begin(): void {
    clearTimeout(timer);
    try {
      const place = from();
      if (place !== undefined) later(place);
    } catch {
      // The disk is in trouble: the file will be opened anew, and that begins again.
    }
  }

  return { begin, close: () => clearTimeout(timer) };
}
