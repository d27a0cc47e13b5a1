import { showImportProgress } from '../show-import-progress.ts';

showImportProgress();
