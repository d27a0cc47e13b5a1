import type { Statements } from '../store/statements.ts';
import type { Integration } from './account.ts';

/** `lastAt`: Unix ms, to a minute. */
export type OldTokenUse = { readonly address: string; readonly lastAt: number };

/** Where the previous tokens of integrations are still used. */
export const createOldTokenStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** Notes that the token before the present one was used. */
  async oldTokenUsed({ id, tokenCounter }: Integration, address: string, at: number): Promise<void> {
    await write(
      `INSERT INTO old_token_uses (integration_id, token_counter, address, last_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (integration_id, token_counter, address) DO UPDATE SET last_at = excluded.last_at`,
      ...[id, tokenCounter - 1, address, at],
    );
  },
  /** Addresses that have used the previous token since it was replaced, newest first, at most 20. */
  oldTokenUses: ({ id, tokenCounter }: Integration): Promise<OldTokenUse[]> =>
    read(
      `SELECT address, last_at AS "lastAt" FROM old_token_uses
       WHERE integration_id = $1 AND token_counter = $2 ORDER BY last_at DESC, address LIMIT 20`,
      ...[id, tokenCounter - 1],
    ),
});
