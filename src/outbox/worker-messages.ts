import type { LogFields } from '../ops/log.ts';
import type { MessageCode } from '../ops/messages.ts';
import type { Ask } from './store.ts';

/** What the worker is started with. */
export type WorkerOptions = { readonly directory: string; readonly ballastBytes: number };

/** How storage is: for health. `full` and `failing` mean that nothing new is taken at the moment. */
export type StorageState = {
  readonly state: 'working' | 'full' | 'failing';
  /** One line for people, when it is not working. */
  readonly error?: string;
};

/** To the worker: questions, or the wish to end. */
export type ToWorker = readonly Numbered[] | 'close';
export type Numbered = { readonly id: number; readonly ask: Ask };

/** Answers by their questions' numbers. What they say is on disk. */
export type Answers = {
  readonly ids: number[];
  readonly values: unknown[];
  readonly refused: { readonly id: number; readonly message: string }[];
};

/** From the worker. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** The start is off; `refused` if by a rule of ours and not by an error. */
  | { readonly type: 'no-start'; readonly refused: boolean; readonly message: string }
  /** `messages`: how many from the main thread are through; `commits`: transactions so far. */
  | { readonly type: 'done'; readonly messages: number; readonly commits: number; readonly answers: Answers }
  | { readonly type: 'storage'; readonly storage: StorageState }
  | { readonly type: 'say'; readonly code: MessageCode; readonly fields: LogFields };
