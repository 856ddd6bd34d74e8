import { defineConfig } from 'vite';

// What the server serves has a hash in its name and can be cached permanently; the npm package has a fixed name.
export default defineConfig(({ mode }) => ({
  base: './',
  build: {
    outDir: mode === 'package' ? 'dist' : '../dist/widget',
    emptyOutDir: true,
    target: 'es2022',
    license: { fileName: 'licences.md' },
    modulePreload: false,
    rolldownOptions: {
      input: { 'parley-agent': 'src/index.ts' },
      preserveEntrySignatures: 'strict',
      output: {
        entryFileNames: mode === 'package' ? '[name].js' : '[name]-[hash].js',
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
}));
