// npm run test:deep [-- area…] [-- --changed] [-- arguments of Jest]: runs the deep suites of all areas, of the named
// areas, or those that a change concerns.
import { AREAS, changedSuites, filesOf } from './testing/areas.mjs';
import { finish, root, runTests } from './testing/run.mjs';

process.exitCode = await main(process.argv.slice(2));

async function main(words) {
  const named = words.filter((word) => !word.startsWith('-'));
  const unknown = named.find((word) => !AREAS.includes(word));
  if (unknown !== undefined) {
    console.error(`There is no deep area "${unknown}". The areas are ${AREAS.join(', ')}.`);
    return 2;
  }
  const files = words.includes('--changed') ? reportChanged() : filesOf(root, named.length > 0 ? named : AREAS);
  if (files.length === 0) return finish({ passed: 0, failed: 0 }, 0);

  const options = words.filter((word) => word.startsWith('-') && !['--changed', '--slowest'].includes(word));
  return runTests([...options, '--runTestsByPath', ...files], {
    TEST_TIER: 'deep',
    ...(filesOf(root, ['properties']).some((file) => files.includes(file)) && { PROPERTY_RUNS: 'deep' }),
    ...(words.includes('--slowest') && { TEST_SLOWEST: '20' }),
  });
}

function reportChanged() {
  const { areas, files, since } = changedSuites(root);
  const others = files.filter((file) => !filesOf(root, areas).includes(file));
  const leftOut = AREAS.filter((area) => !filesOf(root, [area]).some((file) => files.includes(file)));
  console.log(`Deep areas whose sources changed ${since}: ${areas.join(', ') || 'none'}.`);
  if (others.length > 0) console.log(`Other deep suites that changed, or import what changed: ${others.join(', ')}.`);
  if (leftOut.length > 0) console.log(`Left out, because nothing of them changed: ${leftOut.join(', ')}.`);
  return files;
}
