/** After this time of ringing, ms, the end of a call was probably lost: callers do not wait that long. */
const DOUBTFUL_MS = 3 * 60_000;

/** Whether a call still rings only because its end never came, in all likelihood. Users can close it. */
export const isDoubtful = (
  { status, startedAt }: { readonly status: string; readonly startedAt: number },
  now: number,
): boolean => status === 'ringing' && now - startedAt > DOUBTFUL_MS;
