import { defineConfig } from 'vite';

// The page is at /transfer/<id>; what it loads has a hash in its name and can be cached permanently.
export default defineConfig({
  base: '/transfer-page/',
  build: {
    outDir: '../dist/transfer',
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: false,
  },
});
