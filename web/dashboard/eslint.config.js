import comments from '@eslint-community/eslint-plugin-eslint-comments';
import tseslint from 'typescript-eslint';

// What silences the compiler. Prettier sees to the form, dependency-cruiser to imports, the compiler to the rest.
const message = 'It silences the compiler: say what the value is, or why that cannot be said.';

export default [
  { ignores: ['src/generated/', 'build/'] },
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin, comments },
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'TSAsExpression > TSNeverKeyword', message },
        { selector: 'TSAsExpression > TSAsExpression', message },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
      'comments/require-description': 'error',
    },
  },
];
