import type { FastifyRequest } from 'fastify';
import type { Html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { Script } from './assets.ts';
import type { Formats } from './formats.ts';

/** A HEAD is answered like a GET, without the body. */
export const isRead = ({ method }: { readonly method: string }): boolean =>
  method === 'GET' || method === 'HEAD';

/** Whether nothing of the answer is read: it is no export, and no stream. */
export const isHead = ({ method }: { readonly method: string }): boolean => method === 'HEAD';

/** True for a browser that opens an address; programs ask for JSON or for anything. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  isRead({ method }) && /\btext\/html\b/.test(headers.accept ?? '');

/** What a page is asked for, in which language. `UserRequest` of the accounts also says by whom. */
export type PageRequest = {
  /** True for an administrator. */
  readonly administrates: boolean;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of a submitted form; empty for GET. */
  readonly form: URLSearchParams;
  /** Of client/keep-live.ts, which wants the page without its frame. */
  readonly isRenewal: boolean;
  /** The rows that it wants, by their keys; null: all. */
  readonly moved: ReadonlySet<string> | null;
  /** The CSRF token of every form (see changeForm). */
  readonly token: string;
  /** `https://calls.example.com`, as the browser sees it. */
  readonly origin: string;
  /** The same for links that are sent to others. */
  readonly linkOrigin: string;
  /** Aborts when the answer has been sent, or its client has left. */
  readonly signal: AbortSignal;
  /** Unix ms. */
  readonly now: number;
  /** Texts, and times and numbers, in the user's language. */
  readonly words: Words;
  readonly formats: Formats;
};

export type Page = {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** What the page loads besides the calls now. */
  readonly scripts?: readonly Script[];
  /** The calls now alone, for a second screen or a wall display. */
  readonly callsAlone?: true;
};

export type Answer =
  | Page
  /** 204, to a script. */
  | 'done'
  /** 303 after a change, so that reloading does not repeat it. */
  | { readonly redirect: string }
  /** A file to download, such as CSV. */
  | {
      readonly download: string;
      readonly type: string;
      readonly content: string | Iterable<string> | AsyncIterable<string>;
      /** What of the account's data it is, for the audit log. */
      readonly exported?: string;
    };
