/** One line of the log: its level, text, meaning and remedy. */
export type Message = {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /** `{name}` is replaced by the field of that name. */
  readonly text: string;
  /** For an operator who does not know the code. */
  readonly means: string;
  /** What to do; absent if nothing needs doing. */
  readonly todo?: string;
};
