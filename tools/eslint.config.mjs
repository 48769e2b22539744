// npm run lint: ESLint runs in the root with "-c tools/eslint.config.mjs", so the patterns below begin there. Rules
// that need types are in .oxlintrc.json.
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { local } from '../lint/index.mjs';

const NO_ENVIRONMENT = [
  {
    object: 'process',
    property: 'env',
    message: 'Only src/config reads the environment; entry files hand it to loadConfig().',
  },
];

const NO_SYSTEM_TIME = [{ object: 'Date', property: 'now', message: 'Inject the Clock of src/platform/clock.' }];

const NO_ENVIRONMENT_IMPORT = {
  name: 'node:process',
  importNames: ['env'],
  message: 'Only src/config reads the environment.',
};

const NO_CIRCLES_NO_SYNCHRONIZE = [
  {
    selector:
      ':matches(ImportSpecifier[imported.name="forwardRef"], CallExpression[callee.property.name="forwardRef"])',
    message: 'A module that needs forwardRef calls upwards: write an outbox row and let the other side subscribe.',
  },
  {
    selector: 'Property[key.name="synchronize"][value.value=true]',
    message: 'The schema changes by reviewed migrations alone.',
  },
];

const NO_SYSTEM_DATE = [
  {
    selector: ':matches(NewExpression[callee.name="Date"][arguments.length=0], CallExpression[callee.name="Date"])',
    message: 'Inject the Clock of src/platform/clock.',
  },
];

export default defineConfig(
  globalIgnores([
    'dist/',
    'clients/*/dist/',
    'clients/*/src/generated/',
    'clients/programs/',
    'coverage/',
    'node_modules/',
    '.data/',
  ]),
  {
    linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' },
    plugins: { local },
    rules: {
      'local/explained-disable': 'error',
      eqeqeq: 'error',
      'no-constant-binary-expression': 'error',
      'no-debugger': 'error',
      'no-dupe-else-if': 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-empty': 'error',
      'no-fallthrough': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-rename': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly'])),
    },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strict],
    // Decorator metadata lets the rule tell type imports of constructor parameters from imports that nothing needs at
    // run time.
    languageOptions: { parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true } },
    rules: {
      'local/injected-value-import': 'error',
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // A Nest module class has nothing but its decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'no-restricted-syntax': ['error', ...NO_CIRCLES_NO_SYNCHRONIZE],
    },
  },
  {
    files: ['src/**/*.ts', 'migrations/**/*.ts'],
    ignores: ['src/config/**', 'src/main.ts', 'src/worker.ts', 'src/cli.ts'],
    rules: {
      'no-restricted-properties': ['error', ...NO_ENVIRONMENT],
      'no-restricted-imports': ['error', NO_ENVIRONMENT_IMPORT],
    },
  },
  {
    files: ['src/**/*.ts', 'console/**/*.{ts,tsx}'],
    rules: { 'local/comment-sentences': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/platform/http/**', '**/*.spec.ts'],
    rules: { 'local/own-inputs': 'error' },
  },
  {
    // A signature covers the path and the query as they were sent. @SignedInputs documents them, and UrlSigner checks them.
    files: ['src/modules/entitlement/storage/{content,uploads}/*.controller.ts'],
    rules: { 'local/own-inputs': ['error', { allow: ['Param', 'Query'] }] },
  },
  {
    files: ['src/modules/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...NO_ENVIRONMENT, ...NO_SYSTEM_TIME],
      'no-restricted-syntax': ['error', ...NO_CIRCLES_NO_SYNCHRONIZE, ...NO_SYSTEM_DATE],
    },
  },
  {
    files: ['src/modules/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'local/event-rows-in-store': 'error',
      'local/repositories-stay-inside': 'error',
      'local/sql-in-repositories': 'error',
      'local/tenant-in-sql': 'error',
      'local/tenant-in-where': 'error',
    },
  },
  {
    files: ['src/cli.ts', 'src/cli/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: { 'local/sentence-titles': 'error' },
  },
);
