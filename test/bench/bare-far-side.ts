import { createServer } from 'node:net';

/**
 * The fastest far side there can be in one process: counts requests by their heads and answers each with the same
 * bytes. For benches in which the far side must not be what is measured. Prints its port as one JSON line.
 */
const body = JSON.stringify({ result: 'x'.repeat(48) });
const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  // A benched client sends a request in one piece and waits for its answer before it sends the next.
  socket.on('data', () => socket.write(answer));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
