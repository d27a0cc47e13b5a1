/** One thing that was tried, what came of it, and what to do. */
export type Finding = {
  readonly what: string;
  readonly came: string;
  /** `warn` can wait, `bad` keeps calls from being told. */
  readonly verdict: 'well' | 'warn' | 'bad';
  readonly todo?: string;
};

export const well = (what: string, came: string): Finding => ({ what, came, verdict: 'well' });
export const warn = (what: string, came: string, todo: string): Finding => ({
  ...{ what, came, verdict: 'warn', todo },
});
export const bad = (what: string, came: string, todo: string): Finding => ({
  ...{ what, came, verdict: 'bad', todo },
});
