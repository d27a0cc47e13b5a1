import type { Clock } from '../clock.ts';
import type { RecordedFrame } from '../recording/recording.ts';

/** A recording in a player: where it is, and what moves it on. */
export type Tape = {
  readonly length: number;
  /** Frames played so far. */
  played(): number;
  /** Plays the next frame; false at the end. */
  step(): boolean;
  /** Plays the rest in its own time, `speed` times as fast as recorded. */
  run(clock: Clock, speed: number): TapeRun;
};

export type TapeRun = {
  /** Kept after the last frame, or once it is stopped. */
  readonly done: Promise<void>;
  stop(): void;
};

/** Faster than this is at once. It keeps the arithmetic finite. */
const fullSpeed = 1e9;
/** Frames in a row, after which the sockets get their turn. */
const batch = 500;

/** How often a tape that is held up looks whether it still is. */
const lookMs = 2;

/** @param isHeldUp whether a run must wait before it plays on: for something that only the listener can do. */
export function createTape(
  frames: readonly RecordedFrame[],
  send: (frame: Buffer) => void,
  isHeldUp: () => boolean = () => false,
): Tape {
  let played = 0;

  function step(): boolean {
    const next = frames[played];
    if (next === undefined) return false;
    played++;
    send(next.frame);
    return true;
  }

  function run(clock: Clock, speed: number): TapeRun {
    const begun = clock.now();
    const beginsAt = frames[played]?.ms ?? 0;
    let cancel = (): void => {};
    let finish = (): void => {};
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });

    const pace = Math.min(speed, fullSpeed);

    /** The time on the recording's own clock. */
    function position(): number {
      return beginsAt + (clock.now() - begun) * pace;
    }

    function playDue(): void {
      for (let count = 0; count < batch && isDue(frames[played]); count++) step();
      const next = frames[played];
      if (next === undefined) {
        finish();
        return;
      }
      const wait = Math.ceil((next.ms - position()) / pace);
      cancel = clock.setTimer(playDue, isHeldUp() ? lookMs : Math.max(0, wait));
    }

    function isDue(next: RecordedFrame | undefined): boolean {
      return next !== undefined && next.ms <= position() && !isHeldUp();
    }

    playDue();
    return {
      done,
      stop(): void {
        cancel();
        finish();
      },
    };
  }

  return { length: frames.length, played: () => played, step, run };
}
