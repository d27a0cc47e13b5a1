/** What the screens of users get, as JSON. Times are the server's, Unix milliseconds. */

export type ScreenCall = {
  readonly id: string;
  readonly status: 'ringing' | 'answered' | 'completed';
  /** As in the first event. */
  readonly from: string;
  readonly number: string;
  /** With blanks, as people read it. */
  readonly number_shown: string;
  readonly customer: { readonly reference: string; readonly name: string } | null;
  readonly segment: string | null;
  readonly priority: number | null;
  readonly caller_id: string | null;
  readonly started_at: number;
  readonly answered_at: number | null;
  readonly completed_at: number | null;
  readonly missed: boolean | null;
  /** The id of the phone system. */
  readonly integration?: number;
  /** Who answered, as people call them. */
  readonly answered_by?: string | null;
  /** What was called, as people call it. */
  readonly called?: string;
  /** Of a caller who rings, or rang while this screen was there. */
  readonly about?: About;
  /** Whose phones ring now, the first ones with names; absent if the bridge does not say it. */
  readonly rings?: readonly Person[];
  /** Who talks with the caller now, the same way. */
  readonly talks?: readonly Person[];
  /** Whose phones rang: from when, and how long in all, ms; `from` and `to` are from the beginning of the call. */
  readonly rang?: readonly (Person & { readonly from: number; readonly for: number })[];
  /** Who talked; without `to` the end was not observed. */
  readonly talked?: readonly (Person & { readonly from: number; readonly to?: number | undefined })[];
};

/** What is known of a caller besides the name; what is not is absent. */
export type About = {
  /** Who talked last with the caller, and when that was answered. */
  readonly last?: Person & { readonly at: number };
  /** The beginning of the last note, and the name of the user who wrote it. */
  readonly note?: { readonly by: string; readonly at: number; readonly text: string };
  /** How often the caller was missed today, if at all. */
  readonly missed_today?: number;
};

/** Named as in `caller_id`; `name`: as people call them. */
export type Person = { readonly by: string; readonly name?: string };

/** A person to call back: the newest missed call; how many there are, since when, who calls back, and when that user is reminded. */
export type MissedPerson = ScreenCall & {
  readonly person: string;
  readonly times: number;
  readonly since: number;
  readonly taken_by: string | null;
  readonly due_at: number | null;
};

/** The first people to call back, in their order; `count` is of all, or there are even `more`. */
export type CallBacksOnScreen = {
  readonly missed: readonly MissedPerson[];
  readonly count: number;
  readonly more: boolean;
};

/** A phone system. `last_at`: its last request; null: never. `unusual`: it has been silent for too long. */
export type ScreenSystem = {
  readonly name: string;
  readonly last_at: number | null;
  readonly unusual: boolean;
};

/** Which calls the user chose to see: those of these extensions, segments and phone systems; null or an empty list: all. */
export type ScreenChoice = {
  readonly mine: readonly string[] | null;
  readonly segments: readonly string[];
  readonly integrations: readonly number[];
};
