/** How many reads to wait for the record of a call that is gone. After a crash Asterisk writes none. */
const timeoutReads = 5;

/** Determines for which of the calls that are gone no record is expected any more. */
export function createRecordTimeouts() {
  /** By uniqueid: the number of the read at which it was first missing. */
  const since = new Map<string, number>();
  return {
    /**
     * @param atEnd all records were read; until then a call's record may be among the unread ones.
     * @param delayReads how many reads longer to wait, because Asterisk delays its records.
     */
    expired(
      vanished: ReadonlySet<string>,
      { reads, atEnd, delayReads }: { reads: number; atEnd: boolean; delayReads: number },
    ): string[] {
      for (const uniqueid of since.keys()) if (!vanished.has(uniqueid)) since.delete(uniqueid);
      for (const uniqueid of vanished) if (!atEnd || !since.has(uniqueid)) since.set(uniqueid, reads);
      return [...since]
        .filter(([, read]) => reads - read >= timeoutReads + delayReads)
        .map(([uniqueid]) => uniqueid);
    },
  };
}
