/**
 * Every line that the programs log: its level, its text, what it means and what to do about it.
 * One place for each message; `{name}` in a text is a field given with it. The page of messages is made from this.
 */
export type Message = {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  readonly text: string;
  /** What an operator who does not know the code should understand by it. */
  readonly means: string;
  /** What to do; absent when nothing needs doing. */
  readonly todo?: string;
};

export const messages = {
  'ami.connected': {
    level: 'info',
    text: 'connected to Asterisk {version} at {address}; {channels} channels there now',
    means: 'The link to the PBX is up, the login worked and the channels in progress were read.',
  },
} as const satisfies Record<string, Message>;

export type MessageCode = keyof typeof messages;
