/** Exit codes of the operators' commands; 78 (EX_CONFIG) means invalid configuration. */
export const exitCodes = {
  /** Success, no problem found. */
  ok: 0,
  /** The command failed. */
  failed: 1,
  /** The command worked, and found a problem. */
  problem: 2,
  /** The command worked, and found nothing that matches. */
  notFound: 3,
} as const;

export const EXIT_CODES_HELP = `Exit codes: 0 ok, 1 command failed, 2 problem found, 3 nothing found, 78 invalid configuration.`;
