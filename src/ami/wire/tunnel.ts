import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type AmiCounters, countIgnored } from '../counters.ts';
import { eventKeys, isCallEvent, isListEvent } from '../events.ts';
import { normaliseEvent, normaliseResponse } from './frame.ts';
import type { ManagerStream } from './manager.ts';
import { errorCode } from './socket.ts';
import { createFramer } from './wire.ts';

/**
 * Our socket on one side, asterisk-manager on the other. Asterisk's bytes go through the framer; of what
 * comes out, the library gets call events, the lists we asked for, and responses to actions that it sent.
 */
export type Tunnel = {
  /** The library's connection. */
  readonly stream: ManagerStream;
  /** Unix milliseconds at which the last bytes arrived. */
  readonly arrivedAt: () => number;
  /** Ends both sides at once; nothing is handed on any more. */
  destroy(): void;
};

export type TunnelHandlers = {
  onGreeting(line: string): void;
  /** The socket has ended: 'closed' when Asterisk closed it in good order, else the system's code. */
  onEnd(detail: string): void;
  /** A frame that was too long; the name of its event. */
  onLost(event: string): void;
  /** Every whole frame as it came, valid only during the call; `at` in Unix milliseconds. */
  onFrame?: ((frame: Buffer, at: number) => void) | undefined;
};

export function createTunnel(
  socket: Socket,
  counters: AmiCounters,
  now: () => number,
  handlers: TunnelHandlers,
): Tunnel {
  let open = true;
  let arrivedAt = now();
  /** ActionIDs that the library awaits; a response to none of them would be emitted under a name of its choice. */
  const awaited = new Set<string>();
  const stream = libraryStream();
  const { onFrame } = handlers;
  const framer = createFramer({
    onGreeting: handlers.onGreeting,
    wants: (event) => isCallEvent(event) || isListEvent(event),
    onEvent: (frame, event) => read(normaliseEvent(frame, event, eventKeys)),
    onResponse: readResponse,
    onIgnored: (event) => countIgnored(counters, event),
    onLost: handlers.onLost,
    onFrame: onFrame && ((frame) => onFrame(frame, arrivedAt)),
  });

  socket.on('data', (chunk: Buffer) => {
    arrivedAt = now();
    counters.bytesIn += chunk.length;
    if (open) framer.push(chunk);
  });
  socket.on('error', (error) => end(errorCode(error)));
  socket.on('close', () => end('closed'));

  function read(text: string): void {
    if (open) stream.emit('data', text);
  }

  function readResponse(frame: Buffer): void {
    const response = normaliseResponse(frame);
    if (response !== undefined && awaited.delete(response.actionId)) read(response.text);
    else countIgnored(counters, 'Response');
  }

  function end(detail: string): void {
    if (!open) return;
    destroy();
    handlers.onEnd(detail);
  }

  function destroy(): void {
    open = false;
    stream.readyState = 'closed';
    socket.destroySoon();
  }

  function libraryStream(): ManagerStream {
    const nothing = (): void => {};
    return Object.assign(new EventEmitter(), {
      readyState: 'open' as const,
      write(text: string): void {
        const actionId = /^ActionID: (.*)\r$/m.exec(text)?.[1];
        if (!open || actionId === undefined) return;
        awaited.add(actionId);
        counters.bytesOut += Buffer.byteLength(text);
        socket.write(text);
      },
      end: nothing,
      setKeepAlive: nothing,
      setNoDelay: nothing,
      setEncoding: nothing,
    });
  }

  return { stream, arrivedAt: () => arrivedAt, destroy };
}
