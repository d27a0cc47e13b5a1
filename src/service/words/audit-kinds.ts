/** What the audit log records, with its label. */
export const auditKinds = {
  'sign-in': 'Signed in',
  'sign-in-failed': 'Sign-in failed',
  'sign-out': 'Signed out',
  link: 'One-time link created',
  password: 'Password changed',
  reset: 'Password reset',
  'second-factor': 'Second factor changed',
  session: 'Session ended',
  user: 'User added',
  role: 'Role changed',
  token: 'Token created or replaced',
  settings: 'Settings changed',
  export: 'Data exported',
  import: 'Customers imported',
  removal: 'Removed',
  forget: 'Number forgotten',
  'close-call': 'Call closed',
} as const;

export type AuditKind = keyof typeof auditKinds;
