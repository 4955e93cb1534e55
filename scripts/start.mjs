// `npm start`: builds if dist/ is older than the sources, then runs the service in this process, so that it receives
// the signals that npm forwards. The console is built beside it.
import { ensureBuild } from './build.mjs';
import { buildConsoleBeside } from './console.mjs';

stopWithParent();
await ensureBuild();
buildConsoleBeside();
await import('../dist/main.js');

/**
 * npm sends a signal to the shell that it started, and some shells exit without forwarding it. The service detects that
 * its parent process has changed, and sends the signal to itself.
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
