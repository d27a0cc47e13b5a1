export type Account = {
  readonly id: number;
  /** Random; names the account outside of this database. */
  readonly uid: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2: how numbers without a country code are read. Null: none. */
  readonly country: string | null;
  /** IANA name of the zone that its people read times in. Null: that of the machine. */
  readonly timeZone: string | null;
  /** Raised to make the administration token a new one. */
  readonly tokenCounter: number;
};

export type Integration = {
  readonly id: number;
  readonly uid: string;
  readonly account: number;
  readonly name: string;
  readonly tokenCounter: number;
  readonly enabled: boolean;
  /** Unix ms. */
  readonly createdAt: number;
};

export type Directory = { readonly accounts: Account[]; readonly integrations: Integration[] };

/** Accounts and integrations: few, read often, changed by people (also by another process: the command line). */
export interface DirectoryStore {
  /** Everything, if it changed since `version`. */
  read(version: number): Promise<{ version: number; directory: Directory } | undefined>;
  addAccount(account: { uid: string; name: string; country: string | null }): Promise<Account>;
  changeAccount(
    id: number,
    change: { name?: string; country?: string | null; timeZone?: string | null; rotate?: true },
  ): Promise<void>;
  addIntegration(integration: {
    uid: string;
    account: number;
    name: string;
    createdAt: number;
  }): Promise<Integration>;
  changeIntegration(id: number, change: { name?: string; enabled?: boolean; rotate?: true }): Promise<void>;
}
