// What may import what: features stand on api, ui and the modules beside them, and not on one another's insides.

/** Files of a feature that others may import. */
const shared = [
  '^src/features/[^/]+/api\\.ts$',
  '^src/features/agents/ProviderFields\\.tsx$',
  '^src/features/analytics/(figures|range)\\.',
  '^src/features/calls/(LiveCalls|Status|talk/Talk)\\.tsx$',
  '^src/features/calls/answered\\.ts$',
];

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-insides-of-other-features',
      severity: 'error',
      // The first page shows figures and calls of the others.
      from: { path: '^src/features/([^/]+)/', pathNot: '^src/features/home/' },
      to: { path: '^src/features/', pathNot: ['^src/features/$1/', ...shared] },
    },
    {
      name: 'pages-at-the-top',
      severity: 'error',
      from: { path: '^src/(api|ui)/' },
      to: { path: '^src/(features|shell)/' },
    },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: '\\.d\\.ts$' }, to: {} },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true, // an import of types counts
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.d.ts', '.js', '.css'] },
  },
};
