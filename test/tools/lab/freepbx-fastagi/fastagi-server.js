/**
 * A stand-in for FreePBX's own FastAGI server (core's `node/fastagi-server.js`), written after its behaviour: it
 * starts the script that a request names, passes lines on in both directions, and closes when the script ends. As there,
 * nothing catches the error of a script that does not exist: it ends the server.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const [, , port = '4573', folder = '/var/lib/asterisk/agi-bin'] = process.argv;

const server = createServer((socket) => {
  const request = [];
  let script;
  socket.on('error', () => {});
  createInterface({ input: socket }).on('line', (line) => {
    if (script !== undefined) script.stdin.write(`${line}\n`);
    else if (line !== '') request.push(line);
    else script = start(request, socket);
  });
});

function start(request, socket) {
  const name = request.flatMap((line) => /^agi_network_script: (.*)$/.exec(line)?.[1] ?? [])[0];
  const args = request.flatMap((line) => /^agi_arg_\d+: (.*)$/.exec(line)?.[1] ?? []);
  const script = spawn(`./${name}`, args, { cwd: folder });
  script.stdout.on('data', (data) => socket.write(data));
  script.stdin.on('error', () => {});
  script.on('exit', () => socket.end());
  script.stdin.write(`${request.join('\n')}\n\n\n`);
  return script;
}

server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
