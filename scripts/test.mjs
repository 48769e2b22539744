// npm test [-- arguments of Jest]: every tier but the deep suites. "--slowest" lists the 20 slowest files and tests.
import { runTests } from './testing/run.mjs';

const words = process.argv.slice(2);
const isSlowest = words.includes('--slowest');
// A path below test/deep names a deep suite; Jest leaves those out otherwise.
const isDeep = words.some((word) => word.includes('test/deep'));

process.exitCode = await runTests(
  words.filter((word) => word !== '--slowest'),
  { ...(isSlowest && { TEST_SLOWEST: '20' }), ...(isDeep && { TEST_TIER: 'deep' }) },
);
