// npm run test:deep [-- area…] [-- --changed] [-- arguments of Jest]: runs the deep suites of all areas, of the named
// areas, or of the areas whose sources changed.
import { AREAS, changedAreas, filesOf } from './testing/areas.mjs';
import { finish, root, runTests } from './testing/run.mjs';

process.exitCode = await main(process.argv.slice(2));

async function main(words) {
  const named = words.filter((word) => !word.startsWith('-'));
  const unknown = named.find((word) => !AREAS.includes(word));
  if (unknown !== undefined) {
    console.error(`There is no deep area "${unknown}". The areas are ${AREAS.join(', ')}.`);
    return 2;
  }
  const areas = words.includes('--changed') ? reportChanged() : named.length > 0 ? named : AREAS;
  if (areas.length === 0) return finish({ passed: 0, failed: 0 }, 0);

  const options = words.filter((word) => word.startsWith('-') && !['--changed', '--slowest'].includes(word));
  return runTests([...options, '--runTestsByPath', ...filesOf(root, areas)], {
    TEST_TIER: 'deep',
    ...(areas.includes('properties') && { PROPERTY_RUNS: 'deep' }),
    ...(words.includes('--slowest') && { TEST_SLOWEST: '20' }),
  });
}

function reportChanged() {
  const { areas, since } = changedAreas(root);
  const leftOut = AREAS.filter((area) => !areas.includes(area));
  console.log(`Deep areas that changed ${since}: ${areas.join(', ') || 'none'}.`);
  if (leftOut.length > 0) console.log(`Left out, because their sources did not change: ${leftOut.join(', ')}.`);
  return areas;
}
