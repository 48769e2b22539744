/** Downloads a file that was created in the page. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Returns a line of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells.map(csvCell).join(',') + '\r\n';
}

function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Returns a file name such as "shop-logs-2026-11-23.csv". */
export function fileName(project: string, what: string, ending: string): string {
  return `${project}-${what}-${new Date().toISOString().slice(0, 10)}.${ending}`;
}
