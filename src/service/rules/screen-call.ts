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
  /** Who spoke last with the caller. */
  readonly last_with?: string;
};

/** A person to call back: the newest missed call; how many there are, since when, and who calls back. */
export type MissedPerson = ScreenCall & {
  readonly person: string;
  readonly times: number;
  readonly since: number;
  readonly taken_by: string | null;
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
