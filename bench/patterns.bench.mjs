// Compares searches by regular expression in our matcher and in RE2 for JavaScript, for the worst patterns and for
// simple ones.
import { RE2JS } from 're2js';
import { PatternMachine } from '../dist/src/modules/events/conditions/patterns/pattern-machine.js';
import { parsePattern } from '../dist/src/modules/events/conditions/patterns/pattern-syntax.js';

const CHARACTERS = 4_096;
const TEXTS = 9;

/**
 * Returns random texts of a few letters, the same in each run. They end with `more`, so that a search for a literal of
 * the pattern cannot end early.
 */
function textsOf(letters, more = 'zc1') {
  let state = 1;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  return Array.from({ length: TEXTS }, () => {
    const text = Array.from({ length: CHARACTERS - more.length }, () => letters[Math.floor(next() * letters.length)]);
    return `${text.join('')}${more}`;
  });
}

const CASES = [
  ['worst', '(a|b)*a(a|b){100}c2', textsOf('ab', 'zc2')],
  ['worst', 'a.{99}.{99}.{50}c2', textsOf('ab', 'zc2')],
  ['worst', 'a[ab]{100}c2', textsOf('ab', 'zc2')],
  ['worst', 'a.{14}c2', textsOf('ab', 'zc2')],
  ['worst', '(?:a?){50}a{50}b2', textsOf('a', 'zb2')],
  ['worst', '(?:.*a.*b.*c.*d.*e.*f.*g){5}z2', textsOf('abcdefg', 'xz2')],
  ['plain', 'timed? out', textsOf('abcdefghijk ', '.')],
  ['plain', '^/api/v\\d+/users$', ['/api/v12/users', '/api/v3/users/17', '/health']],
  ['plain', '(?i)^fatal|panic', ['Kernel: everything is well so far, no news at all', 'Panic: no memory']],
  ['plain', 'user=\\w+@example\\.com', ['GET /api/v1/users/42 in 30.5 s code=500 user=ada@example.com']],
];

/**
 * Returns the median microseconds of a search: the first in each text, and later ones in texts that were seen before.
 */
function measured(texts, make) {
  const test = make();
  const first = texts.map((text) => timed(() => test(text)));
  const again = Array.from({ length: 51 }, (_, index) => timed(() => test(texts[index % texts.length])));
  return { first: median(first), again: median(again) };
}

function timed(work) {
  const began = performance.now();
  work();
  return (performance.now() - began) * 1_000;
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
}

function bytesOfRe2(re2) {
  const { dfa } = re2.re2();
  return dfa.maxMem - dfa.memBudget;
}

export async function run() {
  const rows = CASES.map(([kind, pattern, texts]) => {
    const machine = new PatternMachine(parsePattern(pattern));
    const re2 = RE2JS.compile(pattern);
    // The runtime compiles the code for this kind of pattern before the measurement.
    for (const text of texts) [machine.matches(text), RE2JS.compile(pattern).test(text)];
    const own = measured(texts, () => (text) => machine.matches(text));
    const other = measured(texts, () => (text) => re2.test(text));
    const ratio = (a, b) => (a / b).toPrecision(2);
    return {
      kind,
      pattern,
      'ours µs': own.first.toFixed(1),
      'RE2 µs': other.first.toFixed(1),
      'RE2 / ours, new text': ratio(other.first, own.first),
      'RE2 / ours, known text': ratio(other.again, own.again),
      'ours KB': Math.round(machine.bytes / 1_024),
      'RE2 KB': Math.round(bytesOfRe2(re2) / 1_024),
    };
  });
  console.table(rows);
}
