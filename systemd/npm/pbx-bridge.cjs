#!/usr/bin/env node
// What `npx pbx-bridge` runs, by whatever Node it finds, old ones too: it starts the program with the Node that npm has
// installed beside it. Where npm has none for a machine, the one that runs this will do if it is new enough.
'use strict';
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { optionalDependencies } = require('../package.json');

const beside = `node-${process.platform}-${process.arch}`;
const oldest = Number.parseInt(Object.values(optionalDependencies)[0], 10);

function findNode() {
  try {
    return require.resolve(`${beside}/bin/node`);
  } catch {
    if (Number.parseInt(process.versions.node, 10) >= oldest) return process.execPath;
    process.stderr.write(
      `pbx-bridge needs Node ${oldest} or later, and this is ${process.versions.node}; npm has not installed ${beside} beside it.\n`,
    );
    process.exit(1);
  }
}

const options = ['--disable-warning=ExperimentalWarning', join(__dirname, '../lib/cli.js')];
const child = spawn(findNode(), [...options, ...process.argv.slice(2)], { stdio: 'inherit' });
// Ctrl-C reaches both; other signals only this process.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`pbx-bridge: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
