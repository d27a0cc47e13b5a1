export const backupProgram = 'service';

/** All tokens are derived from it. */
export const backupFiles = ['service-secret'] as const;

/** What a backup of the service says of itself, and the files in it. */
export const backupOf = (madeAt: number) => ({
  info: { program: backupProgram, madeAt },
  files: backupFiles,
});
