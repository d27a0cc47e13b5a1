/** One line that the programs log: its level, its text, its meaning and its remedy. */
export type Message = {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  readonly text: string;
  /** What an operator who does not know the code should understand by it. */
  readonly means: string;
  /** What to do; absent when nothing needs doing. */
  readonly todo?: string;
};
