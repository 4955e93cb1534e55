// `npm start`: builds where dist/ is older than the sources, then runs the service in this very process, so that it
// gets the signals that npm passes on.
import { build, isFresh } from './build.mjs';

stopWithParent();
if (!(await isFresh())) await build();
await import('../dist/main.js');

/**
 * npm passes a signal to the shell that it started, and some shells die of it without passing it on. The service then
 * has another parent, and stops as if the signal had come to it.
 */
function stopWithParent() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 200);
  timer.unref();
}
