import type { Statements } from '../store/statements.ts';

export type CertificateStore = ReturnType<typeof createCertificateStore>;

/** The last certificate of each integration, as JSON. */
export const createCertificateStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  async saveCertificate(integration: number, at: number, certificate: string): Promise<void> {
    await write(
      `INSERT INTO certificates (integration_id, received_at, certificate) VALUES ($1, $2, $3)
       ON CONFLICT (integration_id) DO UPDATE SET received_at = excluded.received_at, certificate = excluded.certificate`,
      ...[integration, at, certificate],
    );
  },
  async certificate(integration: number): Promise<string | undefined> {
    const [row] = await read<{ certificate: string }>(
      'SELECT certificate FROM certificates WHERE integration_id = $1',
      integration,
    );
    return row?.certificate;
  },
});
