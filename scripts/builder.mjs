// The process in which build.mjs builds: `node scripts/builder.mjs <folder>`. It ends with the process that started it.
import { buildHere } from './build.mjs';

process.once('disconnect', () => process.exit(1));
try {
  await buildHere(process.argv[2], (error) =>
    say(`the service is not bundled and starts more slowly: ${error.message}`),
  );
  process.exit(0);
} catch (error) {
  say(error.stack ?? String(error));
  process.exit(1);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
