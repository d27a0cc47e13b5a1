/** What the operators' commands end with; 78 (EX_CONFIG) is wrong configuration, as everywhere. */
export const exitCodes = {
  /** All is well. */
  well: 0,
  /** The command could not do what it was asked for. */
  failed: 1,
  /** It did, and what it found needs somebody's attention. */
  trouble: 2,
  /** It found nothing by that name. */
  nothing: 3,
} as const;

export const EXIT_CODES_HELP = `Exit codes: 0 all is well, 1 the command failed, 2 it found trouble, 3 it found nothing, 78 wrong configuration.`;
