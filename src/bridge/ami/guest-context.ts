import type { Connection } from './connection.ts';
import { isYes } from './record-options.ts';
import { readVariable } from './snapshot.ts';

/**
 * The context in which calls of chan_sip's guests begin, by sip.conf; '' if it lets none in, or sip.conf cannot be read. It lets
 * them in unless set otherwise.
 * @throws ConnectionEnded when the connection ends meanwhile.
 */
export async function readGuestContext(connection: Connection): Promise<string> {
  const [guests, context] = await Promise.all([
    readVariable(connection, 'AST_CONFIG(sip.conf,general,allowguest)'),
    readVariable(connection, 'AST_CONFIG(sip.conf,general,context)'),
  ]);
  return isYes(guests || 'yes') ? context : '';
}
