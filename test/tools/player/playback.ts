import type { RecordedFrame } from '../../../src/bridge/ami/recording/recording.ts';
import type { Clock } from '../../../src/shared/process/clock.ts';

/** A recording that is being played: its position, and what moves it on. */
export type Playback = {
  readonly length: number;
  /** Frames played so far. */
  played(): number;
  /** Plays the next frame; false at the end. */
  step(): boolean;
  /** Plays the rest in its own time, `speed` times as fast as recorded. */
  run(clock: Clock, speed: number): PlaybackRun;
};

export type PlaybackRun = {
  /** Resolves after the last frame, or once it is stopped. */
  readonly done: Promise<void>;
  stop(): void;
};

/** Stands for an infinite speed, so that the arithmetic stays finite. */
const fullSpeed = 1e9;
/** Frames that are sent in a row before the sockets get their turn. */
const batch = 500;

/** How often a playback that is held up checks whether it still is, ms. */
const checkMs = 2;

/** @param isHeldUp whether a run must wait before it plays on: for an action that the client must send first. */
export function createPlayback(
  frames: readonly RecordedFrame[],
  send: (frame: Buffer) => void,
  isHeldUp: () => boolean = () => false,
): Playback {
  let played = 0;

  function step(): boolean {
    const next = frames[played];
    if (next === undefined) return false;
    played++;
    send(next.frame);
    return true;
  }

  function run(clock: Clock, speed: number): PlaybackRun {
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
      cancel = clock.setTimer(playDue, isHeldUp() ? checkMs : Math.max(0, wait));
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
