import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Account } from '../accounts/directory-store.ts';
import { type Extensions, extensionsOf } from '../accounts/extensions.ts';
import type { Session, User } from '../accounts/user.ts';
import type { ScreenChoice } from '../rules/screen-call.ts';
import type { AuditKind } from '../words/audit-kinds.ts';
import type { Html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { Script } from './assets.ts';
import type { Formats } from './formats.ts';
import type { Turn } from './turns.ts';

/** A HEAD is answered like a GET, without the body. */
export const isRead = ({ method }: { readonly method: string }): boolean =>
  method === 'GET' || method === 'HEAD';

/** Whether nothing of the answer is read: it is no export, and no stream. */
export const isHead = ({ method }: { readonly method: string }): boolean => method === 'HEAD';

/** True for a browser that opens an address; programs ask for JSON or for anything. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  isRead({ method }) && /\btext\/html\b/.test(headers.accept ?? '');

/** A request of a signed-in user. */
export type PageRequest = {
  readonly session: Session;
  readonly user: User;
  readonly account: Account;
  /** As many as an account can have, the highest priority first, and those of the user's bar. */
  readonly segments: readonly { readonly name: string; readonly priority: number }[];
  /** Their names, and whose they are (see extensionText). */
  readonly extensions: Extensions;
  /** Which calls the user's bar shows. */
  readonly barChoice: ScreenChoice;
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
  /** Whether this is the user's password: a limited number of wrong ones. @throws Refusal 429, 503 */
  readonly isOwnPassword: (given: string) => Promise<boolean>;
  /** Adds an entry to the audit log, after the change. `target`: what was changed, without secrets. */
  readonly audit: (what: AuditKind, target: string) => Promise<void>;
};

export type Page = {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** What the page loads beside the calls now. */
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

/** Whether the user may delete customers and notes: administrators always, agents as the account's setting says. */
export const mayDelete = ({ administrates, account }: PageRequest): boolean =>
  administrates || account.agentsDelete;

export type Handler = (request: PageRequest) => Answer | Promise<Answer>;

/** Registers pages. `administrator`: agents are refused; `agent`: every signed-in user. */
export type Pages = {
  get(path: string, role: 'administrator' | 'agent', handler: Handler): void;
  /** A form. `bytes`: its maximum size, 64 KiB by default. `turn`: `long` if it is worked on for more than some milliseconds. */
  post(
    path: string,
    role: 'administrator' | 'agent',
    handler: Handler,
    options?: { readonly bytes?: number; readonly turn?: Turn },
  ): void;
};

/**
 * Filters of the calls that a user's bar shows and rings for: a call must match all. An empty list, or false, matches
 * every call.
 */
const stored = z.object({
  mine: z.boolean(),
  segments: z.array(z.string()),
  /** Ids. */
  integrations: z.array(z.number()),
});
export type BarChoice = z.infer<typeof stored>;

const everything: BarChoice = { mine: false, segments: [], integrations: [] };

export function barChoiceOf({ bar }: Pick<User, 'bar'>): BarChoice {
  return bar === null ? everything : stored.parse(JSON.parse(bar));
}

/** As `UserStore.setBar` takes it. */
export const barChoiceText = (choice: BarChoice): string | null =>
  choice.mine || choice.segments.length > 0 || choice.integrations.length > 0 ? JSON.stringify(choice) : null;

/**
 * The same for the bar's script: `mine` are the user's extensions, or null for all. Segments and integrations that no
 * longer exist are left out, since they would match no call.
 */
export function barChoice(
  user: Pick<User, 'id' | 'bar'>,
  known: {
    readonly extensions: Extensions;
    readonly integrations: readonly { readonly id: number }[];
    readonly segments: readonly { readonly name: string }[];
  },
): ScreenChoice {
  const { mine, segments, integrations } = barChoiceOf(user);
  const names = known.segments.map(({ name }) => name);
  return {
    mine: mine ? extensionsOf(known.extensions, user.id) : null,
    segments: segments.filter((name) => names.includes(name)),
    integrations: integrations.filter((one) => known.integrations.some(({ id }) => id === one)),
  };
}
