import { availableParallelism } from 'node:os';
import { SWC_OPTIONS } from './scripts/dev/transpile.mjs';
import { TEST_TIMEOUT_MS } from './test/support/bounds.mjs';

const isDeep = process.env.TEST_TIER === 'deep';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/test-environment.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  // `npm run test:deep` runs these.
  testPathIgnorePatterns: isDeep ? [] : ['<rootDir>/test/deep/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', SWC_OPTIONS],
  },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/after-file.ts'],
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // One more than there are cores: now and then a file waits. More of them load the service once more each, and share the cores.
  maxWorkers: Math.min(availableParallelism(), 4) + 1,
  // A replaced worker has to find all packages anew, which takes as long as a small file.
  workerIdleMemoryLimit: '700MB',
  // A worker above that limit is replaced behind its last file too. The new one has yet to start before it can end, which
  // on a busy machine takes longer than the usual half second and reads as a test that left something open.
  workerGracefulExitTimeout: 10_000,
  testTimeout: isDeep ? 3 * TEST_TIMEOUT_MS : TEST_TIMEOUT_MS,
};
