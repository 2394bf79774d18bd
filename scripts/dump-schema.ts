import fs from 'node:fs';
import path from 'node:path';
import { dumpSchema } from '../src/db/dump-schema.ts';
import { openMemory } from '../src/db/embedded/engine.ts';
import { migrate } from '../src/db/migrate.ts';
import { fromSession } from '../src/db/open.ts';

/** Writes `docs/schema.sql` from the migrations: `npm run schema:dump`. */
const database = fromSession(await openMemory());
await migrate(database);
fs.writeFileSync(path.join(import.meta.dirname, '../docs/schema.sql'), await dumpSchema(database.db));
await database.close();
