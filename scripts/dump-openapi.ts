import fs from 'node:fs';
import path from 'node:path';
import { openMemory } from '../src/db/embedded/engine.ts';
import { migrate } from '../src/db/migrate.ts';
import { fromSession } from '../src/db/open.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { readConfig } from '../src/main/config.ts';
import { openService } from '../src/main/service.ts';
import { VERSION } from '../src/main/version.ts';

/** Writes `openapi.json` from the routes of the service: `npm run openapi:dump`. */
const database = fromSession(await openMemory());
await migrate(database);
// The settings of nobody's environment: nothing in the description depends on them.
const config = readConfig({ ADMIN_TOKEN: 'not-used-'.repeat(4), MASTER_KEY: Buffer.alloc(32).toString('base64') });
const service = await openService({ database, clock: systemClock, log: silentLog, version: VERSION, config });
const text = `${JSON.stringify(service.app.apiDescription(), null, 2)}\n`;
fs.writeFileSync(path.join(import.meta.dirname, '../openapi.json'), text);
await service.stop();
await database.close();
