import { z } from 'zod';

/** How a user is notified. */
export const mediums = ['mail', 'push'] as const;
export type Medium = (typeof mediums)[number];

/**
 * Of which missed calls a user wants to hear, and when. A call must match all filters; an empty list, or false, matches every
 * call. A segment that was removed matches none.
 */
const stored = z.object({
  /** Minutes in which somebody may call back; 0: at once. */
  after: z.number(),
  /** Calls that rang at the user's extensions. */
  mine: z.boolean(),
  segments: z.array(z.string()),
  numbersCalled: z.array(z.string()),
  /** Quiet hours in the account's time zone: minutes of the day, the first may be the later one. */
  quiet: z.tuple([z.number(), z.number()]).nullable(),
});
export type Choice = z.infer<typeof stored>;

export const everyMissedCall: Choice = {
  after: 0,
  mine: false,
  segments: [],
  numbersCalled: [],
  quiet: null,
};

/** As the store keeps it. */
export const choiceText = (choice: Choice): string => JSON.stringify(choice);
export const choiceOf = (text: string): Choice => stored.parse(JSON.parse(text));

/** A user's choice for a medium that is on. */
export type Notification = {
  readonly user: number;
  readonly medium: Medium;
  readonly choice: Choice;
  /** Of mail; '' of push. */
  readonly address: string;
};

/** A browser that gets push messages: a subscription of RFC 8030, with its keys (RFC 8291) in base64url. */
export type PushDevice = {
  readonly endpoint: string;
  readonly publicKey: string;
  readonly auth: string;
};
