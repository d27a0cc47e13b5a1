/**
 * A frame as asterisk-manager hands it on: keys in lower case, values as text. Every key is there once,
 * because only such frames reach the library (see frame.ts).
 */
export type AmiObject = Readonly<Record<string, string | undefined>>;
