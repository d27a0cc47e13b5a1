import type { Account } from '../../store/directory-store.ts';
import type { Session, User } from '../../store/user-store.ts';
import type { Formats } from './formats.ts';
import type { Html } from './html.ts';

/** Somebody who is signed in, and what they ask for. */
export type PageRequest = {
  readonly session: Session;
  readonly user: User;
  readonly account: Account;
  /** May change what belongs to the whole account. */
  readonly administrates: boolean;
  /** As the browser asked, without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What a form brought; empty for a page that is only read. */
  readonly form: URLSearchParams;
  /** Goes into every form (see changeForm). */
  readonly token: string;
  /** `https://calls.example.com`, as the browser knows us. */
  readonly origin: string;
  /** Unix ms. */
  readonly now: number;
  readonly formats: Formats;
};

export type Page = {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Modules of client/ that the page loads beside the bar, such as `copy-button.js`. */
  readonly scripts?: readonly string[];
  /** The bar alone, as large as the window allows: for a second screen, or on the wall. */
  readonly barAlone?: true;
};

export type Answer =
  | Page
  /** 204, to a script. */
  | 'done'
  /** 303: the change is made, and going back or reloading does not make it again. */
  | { readonly redirect: string }
  /** Something to save, such as CSV. */
  | {
      readonly download: string;
      readonly type: string;
      readonly content: string | Iterable<string> | AsyncIterable<string>;
    };

export type Handler = (request: PageRequest) => Answer | Promise<Answer>;

/** Registers pages. `administrator`: agents are refused; `agent`: everybody who is signed in. */
export type Pages = {
  get(path: string, role: 'administrator' | 'agent', handler: Handler): void;
  /** A form. `bytes`: the longest that it may be; 64 KiB if left out. */
  post(
    path: string,
    role: 'administrator' | 'agent',
    handler: Handler,
    options?: { readonly bytes?: number },
  ): void;
};
