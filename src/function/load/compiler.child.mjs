// Compiles files for another process with the compiler of `jiti`, and ends with its connection.
import { createJiti } from 'jiti';

const { transform } = createJiti(import.meta.url, { fsCache: false }).options;

process.on('message', ({ id, files }) => {
  const results = files.map((options) => ({ code: transform(options).code }));
  process.send({ id, results });
});
