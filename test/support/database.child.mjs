/**
 * A process that opens the embedded database of a folder: `database.child.mjs <folder> <role>`. It prints one line of
 * JSON when it has opened the database or was refused, and releases the database on SIGTERM.
 */
import { openDatabase } from '../../.compiled/database/open-database.js';

const [, , dataDir = '', role = 'service'] = process.argv;
try {
  const database = await openDatabase(
    { dataDir, databasePool: 10, workers: 1 },
    { role: role === 'command' ? 'command' : 'service', log: () => undefined },
  );
  process.on('SIGTERM', () => void database.stop().then(() => process.exit(0)));
  console.log(JSON.stringify({ connection: database.connection }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
  process.exitCode = 1;
}
