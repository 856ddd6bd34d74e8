import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// PARLEY is the server that `npm run dev` talks to.
const server = process.env.PARLEY ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    license: { fileName: 'assets/licences.md' },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/api': server, '/rtc': { target: server, ws: true } } },
  test: { include: ['src/**/*.test.ts'] },
});
