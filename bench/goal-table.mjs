// Rows of the goal table: what was reached, what was wanted.

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

/** As Markdown, to be pasted into RESULTS.md. */
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
