/** `npm run test:browser`: what only a browser shows. It needs Chromium, and `npm test` goes without. */
import base from './vitest.config.js';

export default { ...base, test: { ...base.test, include: ['test/browser/**/*.browser.ts'] } };
