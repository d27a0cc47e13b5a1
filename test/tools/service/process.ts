import { startService } from '../../../src/service/service.ts';
import { silentLog } from '../../../src/shared/log/log.ts';
import { options } from './harness.ts';

/**
 * A service in a process of its own, to be killed: `node service-process.ts STATE_DIR [DATABASE_URL [LISTEN_URL]]`,
 * forked; reports its parent its address. Alerts go to TEST_ALERT_WEBHOOK.
 */
const [stateDir = '', url, listenUrl] = process.argv.slice(2);
const database = url === undefined ? null : { url, listenUrl, connections: 8 };
const webhook = process.env.TEST_ALERT_WEBHOOK;
const alerts = webhook === undefined ? undefined : { mail: [], webhook, afterMs: 0, everyMs: 100 };
const service = await startService(
  { ...options(stateDir), database, alerts, webhookNetworks: ['127.0.0.1'] },
  { log: silentLog },
);
process.send?.(service.url);
process.on('disconnect', () => void service.stop().then(() => process.exit()));
