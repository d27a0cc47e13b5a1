import { silentLog } from '../../src/ops/log.ts';
import { startService } from '../../src/service.ts';
import { options } from './service-harness.ts';

/** A service in a process of its own, to be killed: `node service-process.ts STATE_DIR`, forked; tells its parent its address. */
const service = await startService(options(process.argv[2] as string), { log: silentLog });
process.send?.(service.url);
process.on('disconnect', () => void service.stop());
