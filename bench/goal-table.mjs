// Rows of the tables of goals: the measured value, the goal, and whether it was met.

/** @param limit `{ least }` or `{ most }` */
export function goal(quantity, reached, limit) {
  const isMet = limit.least === undefined ? reached <= limit.most : reached >= limit.least;
  return {
    quantity,
    reached,
    goal: limit.least === undefined ? `≤ ${limit.most}` : `≥ ${limit.least}`,
    met: isMet ? 'yes' : 'NO',
  };
}

export function notMeasured(quantity, why) {
  return { quantity, reached: '–', goal: '', met: why };
}

export const ratio = (value) => Number(value.toPrecision(3));

/** Prints the rows as a Markdown table, for a page in bench/results. */
export function print(title, rows) {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const text = [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((name) => row[name]))),
  ];
  console.log(`\n${title}\n\n${text.join('\n')}\n`);
}
