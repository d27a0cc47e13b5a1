/** How long the record of a call that is gone is waited for; Asterisk writes none when it dies with its calls. */
const patienceLooks = 5;

/** Says which of the calls that are gone have been waited for long enough. */
export function createPatience() {
  /** At which look each was first missed. */
  const since = new Map<string, number>();
  return {
    /** `atEnd`: all records were read. While there is much to read, a call's may be in what was not. */
    over(lost: ReadonlySet<string>, { looks, atEnd }: { looks: number; atEnd: boolean }): string[] {
      for (const uniqueid of since.keys()) if (!lost.has(uniqueid)) since.delete(uniqueid);
      for (const uniqueid of lost) if (!atEnd || !since.has(uniqueid)) since.set(uniqueid, looks);
      return [...since].filter(([, look]) => looks - look >= patienceLooks).map(([uniqueid]) => uniqueid);
    },
  };
}
