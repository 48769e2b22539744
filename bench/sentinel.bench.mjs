// Measures what Sentinel's detectors find in the Numenta Anomaly Benchmark (NAB_DIR is its folder) and in generated
// series, and what its rounds cost.
import { StreamingScore, THRESHOLD } from '../dist/src/modules/alerting/sentinel/streaming/streaming-score.js';
import { corpusOf, publishedScores } from './nab/files.mjs';
import { probationOf, PROFILES, score } from './nab/scorer.mjs';
import { qualityOf } from './sentinel/quality.mjs';
import { roundsOf } from './sentinel/rounds.mjs';
import { worstOf } from './sentinel/worst.mjs';

/** Scores from the benchmark's README. Our scorer must return them for the files of these detectors. */
const PUBLISHED = { knncad: 58.0, relativeEntropy: 54.6, windowedGaussian: 39.6 };
const ROUNDING = 0.055;

/** The thresholds were chosen on seeds below 1,000. */
const SEEDS = Array.from({ length: 20 }, (_, index) => 1_001 + index);

/** @param parts any of `nab`, `generated`, `rounds`, `beside`, `silent` and `worst`. An empty list runs all parts */
export async function run(parts = []) {
  const isWanted = (part) => parts.length === 0 || parts.includes(part);
  if (isWanted('nab')) benchmark();
  if (isWanted('generated')) generated();
  const costs = ['rounds', 'beside', 'silent'].filter(isWanted);
  if (costs.length > 0) await roundsOf(costs);
  if (isWanted('worst')) await worstOf();
}

function generated() {
  const { row, missed, wrong } = qualityOf(SEEDS);
  console.table([row]);
  for (const line of [...missed.map((one) => `missed: ${one}`), ...wrong.map((one) => `false: ${one}`)]) {
    process.stdout.write(`${line}\n`);
  }
}

function benchmark() {
  const folder = process.env.NAB_DIR;
  if (folder === undefined) {
    process.stdout.write('NAB_DIR does not name a clone of github.com/numenta/NAB, so the part nab is skipped.\n');
    return;
  }
  const corpus = corpusOf(folder);
  checkScorer(folder, corpus);
  const told = scored(corpus, ({ values }) => ({ lowest: Math.min(...values), highest: Math.max(...values) }));
  const learned = scored(corpus, () => undefined);
  console.table([
    rowOf('range of values given, as in the benchmark', told),
    rowOf('range of values learned, as in the product', learned),
  ]);
}

function checkScorer(folder, corpus) {
  for (const [detector, expected] of Object.entries(PUBLISHED)) {
    const files = corpus.map((file) => ({ ...file, scores: publishedScores(folder, detector, file.name) }));
    const given = score(files, PROFILES.standard).score;
    if (Math.abs(given - expected) > ROUNDING)
      throw new Error(`${detector}: our scorer returns ${given} instead of ${expected}`);
  }
}

function scored(corpus, rangeOf) {
  const began = performance.now();
  const files = corpus.map((file) => {
    const detector = new StreamingScore(probationOf(file.values.length), rangeOf(file));
    return { ...file, scores: file.values.map((value) => detector.push(value)) };
  });
  const seconds = (performance.now() - began) / 1_000;
  return { files, pace: corpus.reduce((sum, { values }) => sum + values.length, 0) / seconds };
}

/**
 * Returns the scores for three thresholds: that of the product, the best one for all files, and for each half of the
 * files the best one of the other half.
 */
function rowOf(name, { files, pace }) {
  const scores = Object.entries(PROFILES).flatMap(([profile, weights]) => {
    const fitted = score(files, weights);
    return [
      [profile, score(files, weights, THRESHOLD).score.toFixed(1)],
      [`${profile}, best`, `${fitted.score.toFixed(1)} at ${fitted.threshold.toFixed(2)}`],
    ];
  });
  const halves = [0, 1].map((half) => files.filter((_, index) => index % 2 === half));
  const heldOut = halves.map((half, index) => {
    const { threshold } = score(halves[1 - index], PROFILES.standard);
    return score(half, PROFILES.standard, threshold).score.toFixed(1);
  });
  return {
    detector: name,
    ...Object.fromEntries(scores),
    'standard, threshold of the other half': heldOut.join(' and '),
    'values a second': Math.round(pace),
  };
}
