import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Dependencies of a class, and parameters of any other function. */
const PARAMETERS = [
  {
    selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>8]",
    message: 'A class has at most eight dependencies.',
  },
  {
    selector:
      ":matches(FunctionDeclaration, ArrowFunctionExpression, MethodDefinition:not([kind='constructor']) > FunctionExpression)[params.length>5]",
    message: 'A function has at most five parameters.',
  },
];

const SYNTAX = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only (default exports belong to functions/).' },
  {
    selector:
      "CallExpression[callee.property.name='query'] > TemplateLiteral.arguments:first-child[expressions.length>0]",
    message: 'SQL text is rendered in sql/ from fragments; never interpolate into a statement.',
  },
];
/** Prettier breaks code; a message or a pattern stays in one piece, so that it can be searched for. */
const LINES = {
  code: 120,
  ignoreStrings: true,
  ignoreRegExpLiterals: true,
  ignoreUrls: true,
  ignorePattern: 'eslint-disable',
};
/** Code that may run while a test runs. */
const CALLED_LATER = ['FunctionDeclaration', 'MethodDefinition', "CallExpression[callee.name='it']"];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'dist.*/',
      '.compiled/',
      'node_modules/',
      'bench/node_modules/',
      'test/deploy/node_modules/',
      'bench/.peers/',
      'console/dist/',
      'console/stand-ins/',
      '.data/',
      'coverage/',
      '*.cjs',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: [
            'eslint.config.mjs',
            'scripts/*.mjs',
            'examples/*.mjs',
            'src/{auth,doc}/page/*.js',
            'src/catalog/pattern/*.mjs',
          ],
        },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': ['error', ...SYNTAX],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config/ reads the environment.' },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['{src,packages}/**/*.ts'],
    rules: {
      'max-len': ['error', { ...LINES, ignoreComments: true, ignoreTemplateLiterals: true }],
      'no-restricted-syntax': ['error', ...SYNTAX, ...PARAMETERS],
    },
  },
  {
    // Template literals in these files contain SQL with one clause per line.
    files: ['src/sql/**'],
    rules: { 'max-len': ['error', { ...LINES, ignoreComments: true }] },
  },
  {
    files: ['src/config/**', 'test/**', 'bench/**', 'vitest.config.ts', 'ormconfig.ts', 'scripts/**', 'examples/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Answers of the service are `any` in tests.
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-syntax': [
        'error',
        ...SYNTAX,
        {
          selector: `:matches(${CALLED_LATER.join(', ')}) CallExpression[callee.name='afterAll']`,
          message: 'Inside a running test it is never called: use atEnd of test/support/at-end.ts.',
        },
      ],
    },
  },
  {
    files: [
      'functions/**',
      'examples/**',
      'ormconfig.ts',
      'vitest*.config.ts',
      'eslint.config.mjs',
      'console/vite.config.ts',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['console/src/**'],
    ...reactHooks.configs.flat['recommended-latest'],
    rules: {
      ...reactHooks.configs.flat['recommended-latest'].rules,
      // The React Compiler, which this is about, is not used.
      'react-hooks/incompatible-library': 'off',
    },
  },
  { files: ['**/*.mjs', 'src/{auth,doc}/page/*.js'], ...tseslint.configs.disableTypeChecked },
);
