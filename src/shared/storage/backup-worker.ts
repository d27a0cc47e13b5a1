import { workerData } from 'node:worker_threads';
import { type BackupOptions, writeBackup } from './backup.ts';

// A thread of its own: a large database takes seconds.
const { path, file, options } = workerData as { path: string; file: string; options: BackupOptions };
writeBackup(path, file, options);
