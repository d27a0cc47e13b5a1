import { silentLog } from '../../src/log/log.ts';
import { startService } from '../../src/service.ts';
import { options } from './service-harness.ts';

/**
 * A service in a process of its own, to be killed: `node service-process.ts STATE_DIR [DATABASE_URL [LISTEN_URL]]`,
 * forked; reports its parent its address.
 */
const [stateDir = '', url, listenUrl] = process.argv.slice(2);
const database = url === undefined ? null : { url, listenUrl, connections: 8 };
const service = await startService({ ...options(stateDir), database }, { log: silentLog });
process.send?.(service.url);
process.on('disconnect', () => void service.stop().then(() => process.exit()));
