import { openStream } from './stream.js';

/**
 * One stream for all tabs and windows of a browser: browsers allow six connections per host, so that with six tabs open
 * nothing else would load.
 */

/** @type {Set<MessagePort>} */
const ports = new Set();

const stream = openStream((state) => {
  for (const port of ports) port.postMessage(state);
});

/** @param {MessagePort} port */
function welcome(port) {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === 'check') {
      stream.check();
      stream.report(); // the page has hidden uncertain calls and waits for the state
    }
    if (data === 'bye') ports.delete(port);
  };
  stream.report();
}

self.addEventListener('connect', (event) => {
  const [port] = /** @type {MessageEvent} */ (event).ports;
  if (port) welcome(port);
});
