import { openStream } from './stream.js';

/**
 * One stream for all tabs and windows of a browser: it would allow six connections to us, and with as many tabs open
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
      stream.tell(); // who asks has hidden what may be over, and waits for a word
    }
    if (data === 'bye') ports.delete(port);
  };
  stream.tell();
}

self.addEventListener('connect', (event) => {
  const [port] = /** @type {MessageEvent} */ (event).ports;
  if (port) welcome(port);
});
