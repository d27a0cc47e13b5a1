import type { Turn } from '../kit/account-turns.ts';
import type { Answer, PageRequest } from '../kit/page-request.ts';
import type { AuditKind } from '../words/audit-kinds.ts';
import type { Account, Extensions } from './account.ts';
import type { Role, Session, User } from './user.ts';

type Segments = readonly { readonly name: string; readonly priority: number }[];

/** A page's request with who asks: a signed-in user. */
export type UserRequest = PageRequest & {
  readonly session: Session;
  readonly user: User;
  readonly account: Account;
  /** Their names, and whose they are (see extensionText). */
  readonly extensions: Extensions;
  /** Segments, for pages that show them (see withSegments). Read once, when first asked for. */
  readonly readSegments: () => Promise<Segments>;
  /** Whether this is the user's password: a limited number of wrong ones. @throws Refusal 429, 503 */
  readonly isOwnPassword: (given: string) => Promise<boolean>;
  /** What works for long asks this before each piece. @throws Refusal if the session has ended since the request came */
  readonly checkAdmitted: () => Promise<void>;
  /** Adds an entry to the audit log, after the change. `target`: what was changed, without secrets. */
  readonly audit: (what: AuditKind, target: string) => Promise<void>;
};

/** The request of a page that shows segments. */
export type SegmentRequest = UserRequest & {
  /** As many as an account can have, the highest priority first, and those of the user's bar. */
  readonly segments: Segments;
};

export const withSegments = async (request: UserRequest): Promise<SegmentRequest> => ({
  ...request,
  segments: await request.readSegments(),
});

/** Whether the user may delete customers and notes: administrators always, agents as the account's setting says. */
export const mayDelete = ({ administrates, account }: UserRequest): boolean =>
  administrates || account.agentsDelete;

export type Handler = (request: UserRequest) => Answer | Promise<Answer>;

/** Registers pages. `administrator`: agents are refused; `agent`: every signed-in user. */
export type Pages = {
  get(path: string, role: Role, handler: Handler): void;
  /** A form. `bytes`: its maximum size, 64 KiB by default. `turn`: `long` if it is worked on for more than some milliseconds. */
  post(
    path: string,
    role: Role,
    handler: Handler,
    options?: { readonly bytes?: number; readonly turn?: Turn },
  ): void;
};
