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
  /** Rewrites the reports (JSON) of an account's bridges; returns how many have changed. */
  async rewriteBridgeReports(account: number, rewritten: (report: string) => string): Promise<number> {
    const reports = await read<{ id: number; report: string }>(
      `SELECT h.integration_id AS id, h.report FROM bridge_health h
       JOIN integrations i ON i.id = h.integration_id WHERE i.account_id = $1 AND h.report IS NOT NULL`,
      account,
    );
    const changed = reports.filter(({ report }) => rewritten(report) !== report);
    for (const { id, report } of changed)
      await write('UPDATE bridge_health SET report = $2 WHERE integration_id = $1', id, rewritten(report));
    return changed.length;
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
