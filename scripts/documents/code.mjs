// Checks blocks of code with the program that would read them: a shell or a JSON parser.
import { spawnSync } from 'node:child_process';

/**
 * Each checks the text of a block in its language and returns a fault or null. Blocks in other languages are not
 * checked.
 */
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

/** Checks the syntax without running the script. */
function faultOfShell(text) {
  const { status, stderr, error } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  if (error?.code === 'ENOENT') return null;
  return status === 0 ? null : (stderr || String(error)).trim();
}
