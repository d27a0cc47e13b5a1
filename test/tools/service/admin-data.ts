/** A page of a list of /admin. */
export type Listed<Item> = { readonly data: readonly Item[]; readonly next: string | null };

/** An event as /admin/events gives it. */
export type CallEvent = {
  readonly cursor: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly id: string };
};
