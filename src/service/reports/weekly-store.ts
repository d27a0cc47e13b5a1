/** Who gets the weekly report by mail. Weeks are named by their Monday, such as `2026-11-16`. */
export interface WeeklyStore {
  /** The user's address for the report; null: none. */
  address(user: number): Promise<string | null>;
  /** Changes the address; null: no report. `sent`: the week that counts as sent if there was no address before. */
  put(user: number, address: string | null, sent: string): Promise<void>;
  /** The users of an account who have not got a week's report. `sent`: the newest that they got. */
  due(
    account: number,
    week: string,
  ): Promise<{ user: number; address: string; language: string; sent: string }[]>;
  /** Changes the newest week that was sent to a user; false, and nothing changed, if it is not `from`. */
  move(user: number, from: string, to: string): Promise<boolean>;
}
