// npm test [-- arguments of Jest]: runs every tier except the deep suites. "--slowest" lists the 20 slowest files and
// tests.
import { runTests } from './testing/run.mjs';

const words = process.argv.slice(2);
const isSlowest = words.includes('--slowest');
// A path below test/deep selects a deep suite; without such a path Jest excludes them.
const isDeep = words.some((word) => word.includes('test/deep'));

process.exitCode = await runTests(
  words.filter((word) => word !== '--slowest'),
  { ...(isSlowest && { TEST_SLOWEST: '20' }), ...(isDeep && { TEST_TIER: 'deep' }) },
);
