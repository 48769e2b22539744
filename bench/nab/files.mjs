// Reads the files of the Numenta Anomaly Benchmark (github.com/numenta/NAB, MIT) from a folder outside of this
// repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the labelled files of the corpus: { name, values, windows }. A window is a pair of row numbers. */
export function corpusOf(folder) {
  const windows = JSON.parse(readFileSync(join(folder, 'labels/combined_windows.json'), 'utf8'));
  return Object.entries(windows).map(([name, labelled]) => {
    const rows = rowsOf(join(folder, 'data', name));
    const times = rows.map(([time]) => Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`));
    return {
      name,
      values: Float64Array.from(rows, ([, value]) => Number(value)),
      windows: labelled
        .map((ends) => ends.map((end) => times.indexOf(Date.parse(`${end.slice(0, 19).replace(' ', 'T')}Z`))))
        .sort((a, b) => a[0] - b[0]),
    };
  });
}

/** Returns the scores that the benchmark has published for a detector and a file. */
export function publishedScores(folder, detector, name) {
  const [kind, file] = name.split('/');
  const rows = rowsOf(join(folder, 'results', detector, kind, `${detector}_${file}`));
  return Float64Array.from(rows, ([, , score]) => Number(score));
}

function rowsOf(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);
  return lines.slice(1).map((line) => line.split(','));
}
