// Imported first by what people start: older versions of Node fail later, with an error that does not name the cause.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};
const oldest = Number(/\d+/.exec(engines.node)?.[0]);

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `pbx-bridge needs Node ${oldest} or later, and this is ${process.versions.node}. npm ci installs it as node_modules/.bin/node, which npm start, npm test and npx pbx-bridge use.\n`,
  );
  process.exit(1);
}
