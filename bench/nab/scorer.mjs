// The scoring of the Numenta Anomaly Benchmark (Lavin and Ahmad, 2015), written from its description. The earliest
// alarm of each labelled window counts, and it counts more the earlier it is. Each alarm outside of windows costs, and
// it costs more the longer it comes after a window.

/** The value of a found window, and the costs of a false alarm and of a missed window. */
export const PROFILES = {
  standard: { found: 1, falseAlarm: 0.11, missed: 1 },
  'low FP': { found: 1, falseAlarm: 0.22, missed: 1 },
  'low FN': { found: 1, falseAlarm: 0.11, missed: 2 },
};

const PROBATION = 0.15;
const PROBATION_ROWS = 5_000;

/** Returns how many rows at the start of a file are not scored. */
export function probationOf(rows) {
  return Math.floor(Math.min(PROBATION * rows, PROBATION * PROBATION_ROWS));
}

function sigmoid(position) {
  return position > 3 ? -1 : 2 / (1 + Math.exp(5 * position)) - 1;
}

/**
 * Returns the value of an alarm at each row.
 * @param windows [first row, last row] of each window, ascending
 * @returns for each scored row its window (-1 without one) and its value before weights
 */
function worthOf(rows, windows) {
  const worths = [];
  let next = 0;
  let before = null;
  for (let row = 0; row < rows; row++) {
    while (next < windows.length && row > windows[next][1]) before = windows[next++];
    const window = windows[next];
    if (window !== undefined && row >= window[0]) {
      const width = window[1] - window[0] + 1;
      worths.push({ window: next, worth: sigmoid(-(window[1] - row + 1) / width) / sigmoid(-1) });
    } else if (before === null) worths.push({ window: -1, worth: -1 });
    else worths.push({ window: -1, worth: sigmoid((row - before[1]) / (before[1] - before[0])) });
  }
  return worths.map((one, row) => ({ ...one, row })).slice(probationOf(rows));
}

/**
 * @param files each { scores, windows }: a score for each row, and the rows of its windows
 * @param profile an entry of PROFILES
 * @param threshold a score of at least this value is an alarm; without it, the best threshold for these files is used
 * @returns { score, threshold }; a detector without alarms has 0, one with an alarm only at the first row of each
 *   window 100
 */
export function score(files, profile, threshold) {
  const windows = files.reduce((sum, file) => sum + file.windows.length, 0);
  const alarms = files.flatMap((file, index) =>
    worthOf(file.scores.length, file.windows).map(({ window, worth, row }) => ({
      at: file.scores[row],
      window: window === -1 ? null : `${index}:${window}`,
      worth: window === -1 ? worth * profile.falseAlarm : worth * profile.found,
    })),
  );
  alarms.sort((a, b) => b.at - a.at);
  const found = new Map();
  let sum = -profile.missed * windows;
  let best = { sum, threshold: Infinity };
  for (let index = 0; index < alarms.length; index++) {
    const { at, window, worth } = alarms[index];
    if (threshold !== undefined && at < threshold) break;
    if (window === null) sum += worth;
    else {
      const known = found.get(window) ?? -profile.missed;
      if (worth > known) {
        sum += worth - known;
        found.set(window, worth);
      }
    }
    const isWhole = index + 1 === alarms.length || alarms[index + 1].at < at;
    if (isWhole && (threshold !== undefined || sum > best.sum)) best = { sum, threshold: at };
  }
  const nothing = -profile.missed * windows;
  return { score: (100 * (best.sum - nothing)) / (profile.found * windows - nothing), threshold: best.threshold };
}
