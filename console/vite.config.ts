import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev -w console` shows. */
const SERVICE = 'http://127.0.0.1:3000';

export default defineConfig({
  // The page may be below any path of a proxy.
  base: './',
  plugins: [react()],
  server: { proxy: { '/api': SERVICE, '/metrics': SERVICE } },
  build: { target: 'es2023', assetsInlineLimit: 0, chunkSizeWarningLimit: 2000 },
});
