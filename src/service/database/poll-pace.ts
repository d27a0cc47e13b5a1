/**
 * What a poll does: it waits for its time, or for a few ms for more that moves, or reads; `again`: what moved since may not
 * be in what it reads.
 */
export type Pace = 'waiting' | 'soon' | 'reading' | 'reading again' | 'stopped';

/** `woken`: something has moved; `due`: the time has come; `read`: a read has ended. */
export type PaceEvent = 'woken' | 'due' | 'read';

const paces: Readonly<Record<Pace, Readonly<Partial<Record<PaceEvent, Pace>>>>> = {
  waiting: { woken: 'soon', due: 'reading' },
  soon: { due: 'reading' },
  reading: { woken: 'reading again', read: 'waiting' },
  'reading again': { read: 'soon' },
  stopped: {},
};

export const nextPace = (pace: Pace, event: PaceEvent): Pace => paces[pace][event] ?? pace;
