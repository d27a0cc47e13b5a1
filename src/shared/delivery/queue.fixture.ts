import type { QueuedEvent } from './queue.ts';

/** An event that was queued and not tried yet. */
export const event: QueuedEvent = {
  seq: 1,
  callId: 'a',
  status: 'ringing',
  body: '{}',
  queuedAt: 0,
  attempts: 0,
  rejections: 0,
};
