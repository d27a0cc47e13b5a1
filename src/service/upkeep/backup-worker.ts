import { workerData } from 'node:worker_threads';
import { writeBackup } from '../../shared/storage/backup.ts';
import { backupOf } from '../store/sqlite/backup-of.ts';

// A thread of its own: a large database takes seconds.
const { path, file } = workerData as { path: string; file: string };
writeBackup(path, file, { ...backupOf(Date.now()), overwrite: true });
