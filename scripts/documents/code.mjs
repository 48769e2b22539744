// Blocks of code are read by what would read them: a shell, a parser of JSON, the compiler.
import { spawnSync } from 'node:child_process';

/** By the language of a block: what is wrong with its text, or null. Other languages are not looked at. */
const READERS = {
  json: faultOfJson,
  sh: faultOfShell,
  bash: faultOfShell,
};

/** @param {import('./markdown.mjs').Document} document */
export function faultsOfCode({ path, blocks }) {
  return blocks.flatMap(({ line, language, text }) => {
    const fault = READERS[language]?.(text) ?? null;
    return fault === null ? [] : [`${path}:${line} ${language}: ${fault}`];
  });
}

function faultOfJson(text) {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error.message;
  }
}

/** Read and not run. */
function faultOfShell(text) {
  const { status, stderr, error } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  if (error?.code === 'ENOENT') return null;
  return status === 0 ? null : (stderr || String(error)).trim();
}
