/**
 * What asterisk-manager gets when it requires `net` (see manager.ts): its "connection" is the stream that
 * it is given in place of a port.
 */
export function createConnection<Stream>(stream: Stream): Stream {
  return stream;
}
