import type { Socket } from 'node:net';
import type { Clock } from '../../../shared/process/clock.ts';
import { createEventGuard, type EventGuardHandlers } from './event-guard.ts';
import { createFramer } from './framer.ts';

type FrameReaderHandlers = EventGuardHandlers & {
  onBytes(count: number): void;
  onGreeting(line: string): void;
  /** Every whole frame as it came, valid only during the call; `at` in Unix milliseconds. */
  onFrame?: ((frame: Buffer, at: number) => void) | undefined;
  /** A frame that was too long. */
  onTooLong(event: string): void;
};

/** About 20 events: less than a millisecond. */
const SLICE_BYTES = 8_192;

/** Reads events and answers from the socket of one connection. */
export function readFrames(socket: Socket, clock: Clock, handlers: FrameReaderHandlers) {
  let arrivedAt = clock.now();
  let settling: NodeJS.Immediate | undefined;
  const guard = createEventGuard(handlers);
  const framer = createFramer({
    onGreeting: handlers.onGreeting,
    onFrame(bytes, event) {
      handlers.onFrame?.(bytes, arrivedAt);
      guard.push({ bytes, event, at: arrivedAt });
    },
    onTooLong(event) {
      guard.end();
      handlers.onTooLong(event);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    socket.pause();
    arrivedAt = clock.now();
    handlers.onBytes(chunk.length);
    takeSlice(chunk);
  });
  return { settle: guard.settle, stop: framer.stop };

  /**
   * Reads so much in a turn of the event loop, and the rest in the next ones. Node would read megabytes in a row, and priority
   * lookups and timers would wait for all of it.
   */
  function takeSlice(chunk: Buffer): void {
    framer.push(chunk.subarray(0, SLICE_BYTES));
    const rest = chunk.subarray(SLICE_BYTES);
    clearImmediate(settling);
    setImmediate(() => {
      if (rest.length > 0) {
        takeSlice(rest);
        return;
      }
      socket.resume();
      // Runs after what has come in the meantime was read.
      if (!framer.hasPart()) settling = setImmediate(guard.settle);
    });
  }
}
