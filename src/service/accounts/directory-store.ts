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

export type Directory = {
  readonly accounts: Account[];
  readonly integrations: Integration[];
  readonly extensions: Extension[];
};

/** `rotate` makes a new administration token. */
export type AccountChange = Partial<
  Pick<Account, 'name' | 'country' | 'timeZone' | 'crmUrl' | 'agentsDelete' | 'answerWithin' | 'openingHours'>
> & { readonly rotate?: true };

/** `rotate` makes a new token; the old one is accepted until `oldTokenUntil`, or no longer. */
export type IntegrationChange = {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly rotate?: true;
  /** Unix ms; null ends it. */
  readonly oldTokenUntil?: number | null;
};

/** `lastAt`: Unix ms, to a minute. */
export type OldTokenUse = { readonly address: string; readonly lastAt: number };

/** Accounts, integrations and the names of extensions: few, read often, changed by people (also by another process: the command line). */
export interface DirectoryStore {
  /** Everything, if it changed since `version`. */
  read(version: number): Promise<{ version: number; directory: Directory } | undefined>;
  addAccount(account: { uid: string; name: string; country: string | null }): Promise<Account>;
  changeAccount(id: number, change: AccountChange): Promise<void>;
  addIntegration(integration: {
    uid: string;
    account: number;
    name: string;
    createdAt: number;
  }): Promise<Integration>;
  changeIntegration(id: number, change: IntegrationChange): Promise<void>;
  /** Notes that the token before the present one was used. */
  oldTokenUsed(integration: Integration, address: string, at: number): Promise<void>;
  /** Addresses that have used the previous token since it was replaced, newest first, at most 20. */
  oldTokenUses(integration: Integration): Promise<OldTokenUse[]>;
  /** Stores the last report of an integration's bridge (JSON). */
  saveBridgeReport(integration: number, at: number, report: string): Promise<void>;
  /** That report. */
  bridgeReport(integration: number): Promise<{ reportedAt: number; report: string } | undefined>;
  /** Names an extension and its user; without either it is forgotten. */
  putExtension(account: number, extension: Pick<Extension, 'extension' | 'name' | 'user'>): Promise<void>;
}
