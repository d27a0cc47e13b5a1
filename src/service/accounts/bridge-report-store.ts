import type { Statements } from '../store/statements.ts';

export type BridgeReportStore = ReturnType<typeof createBridgeReportStore>;

/** What each bridge reported last about itself, as JSON. */
export const createBridgeReportStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** Stores the last report of an integration's bridge (JSON). */
  async saveBridgeReport(integration: number, at: number, report: string): Promise<void> {
    await write(
      `INSERT INTO bridge_health (integration_id, heard_at, report) VALUES ($1, $2, $3)
       ON CONFLICT (integration_id) DO UPDATE SET heard_at = excluded.heard_at, report = excluded.report`,
      ...[integration, at, report],
    );
  },
  /** Rewrites the reports and certificates (JSON) of an account's bridges; returns how many have changed. */
  async rewriteBridgeReports(account: number, rewritten: (report: string) => string): Promise<number> {
    let changed = 0;
    for (const [table, column] of [
      ['bridge_health', 'report'],
      ['certificates', 'certificate'],
    ] as const) {
      const reports = await read<{ id: number; report: string }>(
        `SELECT h.integration_id AS id, h.${column} AS report FROM ${table} h
         JOIN integrations i ON i.id = h.integration_id WHERE i.account_id = $1 AND h.${column} IS NOT NULL`,
        account,
      );
      for (const { id, report } of reports) {
        const now = rewritten(report);
        if (now === report) continue;
        await write(`UPDATE ${table} SET ${column} = $2 WHERE integration_id = $1`, id, now);
        changed += 1;
      }
    }
    return changed;
  },
  /** That report. */
  async bridgeReport(integration: number): Promise<{ reportedAt: number; report: string } | undefined> {
    const [row] = await read<{ reportedAt: number; report: string }>(
      'SELECT heard_at AS "reportedAt", report FROM bridge_health WHERE integration_id = $1',
      integration,
    );
    return row;
  },
});
