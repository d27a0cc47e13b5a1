export type Account = {
  readonly id: number;
  /** Random; names the account outside of this database. */
  readonly uid: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2: how numbers without a country code are read. Null: none. */
  readonly country: string | null;
  /** IANA name of the zone that its people read times in. Null: that of the machine. */
  readonly timeZone: string | null;
  /** Seconds: the goal that reports compare times to answer with. */
  readonly answerWithin: number;
  /** Raised to make the administration token a new one. */
  readonly tokenCounter: number;
  /** The address of a caller in the office's own program, with places for the number (see crm-link.ts). Null: none. */
  readonly crmUrl: string | null;
  /** Whether agents may delete customers and notes; administrators may always. */
  readonly agentsDelete: boolean;
  /** JSON (see opening-hours.ts). Null: none. */
  readonly openingHours: string | null;
  /** Requests of all its integrations that a process takes in a minute. Null: no limit. */
  readonly requestsPerMinute: number | null;
  /** Null: no limit. */
  readonly mostUsers: number | null;
  /** After how many days its calls lose their callers' numbers, and notes are deleted. Null: not before calls are. */
  readonly numbersKeptDays: number | null;
  /** Raised to make the token of its phone book a new one. 0 or less: it has none. */
  readonly phoneBookCounter: number;
};

/** The name and user that administrators gave to an extension, or to a number that is called. */
export type Extension = {
  readonly account: number;
  readonly extension: string;
  /** '' for none: then it goes by its user's name. */
  readonly name: string;
  /** The user's id. */
  readonly user: number | null;
  readonly userName: string | null;
};

/** The extensions of an account that have a name or a user. */
export type Extensions = ReadonlyMap<string, Extension>;

export type Integration = {
  readonly id: number;
  readonly uid: string;
  readonly account: number;
  readonly name: string;
  readonly tokenCounter: number;
  /** Until when the token before this one is accepted, too, Unix ms; null: no longer. */
  readonly oldTokenUntil: number | null;
  readonly enabled: boolean;
  /** Unix ms. */
  readonly createdAt: number;
};

/** The tokens of the whole service, each with a counter that is raised to make it a new one. */
export type SiteTokens = { readonly operator: number; readonly fleet: number };

export type Directory = {
  readonly siteTokens: SiteTokens;
  readonly accounts: Account[];
  readonly integrations: Integration[];
  /** By account. That of an account is the same object until one of its extensions changes. */
  readonly extensions: ReadonlyMap<number, Extensions>;
};
