/** The result of one check, and what to do about it. */
export type Finding = {
  /** What was checked. */
  readonly what: string;
  readonly result: string;
  /** `error` keeps calls from being reported; `warning` does not. */
  readonly verdict: 'ok' | 'warning' | 'error';
  readonly todo?: string;
};

export const passed = (what: string, result: string): Finding => ({ what, result, verdict: 'ok' });
export const warning = (what: string, result: string, todo: string): Finding => ({
  what,
  result,
  verdict: 'warning',
  todo,
});
export const failed = (what: string, result: string, todo: string): Finding => ({
  what,
  result,
  verdict: 'error',
  todo,
});
